// XCTest alone, under swift test and in parallel; Swift Testing; crashes of test runners.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank, withDetail } from '../failure-row.js';

const CRASH = 'test_ends_process';

export const testRows: readonly FailureRow[] = [
  {
    example:
      '/Users/ci/work/AppTests/CartTests.swift:31: error: -[AppTests.CartTests testTotal] : XCTAssertEqual failed: ("3") is not equal to ("4")',
    words: ['error:'],
    pattern:
      /^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}): error: (?<test>[-+]\[[^\]]{1,300}\]|[\w.]{1,300}) : (?<message>.*)$/,
    reason: 'test_failure',
    rank: rank.test,
    say: ({ test, message }) => `${test}: ${message || 'failed'}`,
  },
  {
    example: '✘ Test "totals add up" recorded an issue at CartTests.swift:18:9: Expectation failed: (total → 3) == 4',
    words: ['recorded an issue'],
    // A lookahead is atomic, so the names of test and argument are not retried with other lengths.
    pattern:
      /^\s{0,8}\S{1,8} +Test (?=(?<test>.*? recorded an issue))\k<test>(?=(?<arguments>.*? at )(?=[^\s:]{1,300}:\d{1,7}:\d))\k<arguments>(?<file>[^\s:]{1,300}):(?<line>\d{1,7}):\d{1,7}: (?<message>.+)/,
    reason: 'test_failure',
    rank: rank.test,
    more: { pattern: /^\s{0,8}↳ (?<detail>\S.{0,300})/, within: 1 },
    say: ({ test = '', message = '', detail }) =>
      `${test.replace(/ recorded an issue$/, '')}: ${withDetail({ message, detail })}`,
  },
  {
    example: 'AppTests/CartTests.swift:77: Fatal error: Index out of range',
    words: ['fatal error', 'precondition failed', 'assertion failed'],
    pattern:
      /^(?:(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}): )(?<message>(?:Fatal error|Precondition failed|Assertion failed)\b.*)/,
    reason: 'test_crash',
    rank: rank.test,
    during: 'tests',
    suggestion: CRASH,
  },
  {
    example: 'Fatal error: Unexpectedly found nil: file AppTests/CartTests.swift, line 12',
    words: ['fatal error', 'precondition failed', 'assertion failed'],
    pattern:
      /^(?<message>(?:Fatal error|Precondition failed|Assertion failed)\b[^:]{0,100}(?:: (?!file )[^:]{0,600})*): file (?<file>[^,]{1,1024}), line (?<line>\d{1,7})/,
    reason: 'test_crash',
    rank: rank.test,
    during: 'tests',
    suggestion: CRASH,
  },
  {
    example:
      "2026-03-01 10:00:00.123 xctest[811:9042] *** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: 'unrecognized selector sent to instance'",
    words: ['terminating app due to uncaught'],
    pattern: /\*\*\* Terminating app due to (?<message>uncaught exception .+)/,
    reason: 'test_crash',
    rank: rank.test,
    during: 'tests',
    suggestion: CRASH,
  },
  {
    example:
      'CartTests.testTotal() encountered an error (Crash: xctest at CartTests.testTotal(). Test crashed with signal abrt.)',
    words: ['encountered an error'],
    pattern: /^\s*(?<test>\S{1,300}) encountered an error \((?<message>.+?)\)?$/,
    reason: 'test_crash',
    rank: rank.testEcho,
    suggestion: CRASH,
    say: ({ test, message }) => `${test}: ${message}`,
    show: [8, 3],
  },
  {
    example:
      'Restarting after unexpected exit, crash, or test timeout in CartTests.testTotal(); summary will include totals from previous launches.',
    words: ['restarting after unexpected exit'],
    pattern:
      /^Restarting after unexpected exit(?:, crash, or test timeout| or crash)(?: in (?<test>[^;]{1,300}))?(?:;|$)/,
    reason: 'test_crash',
    rank: rank.testEcho,
    suggestion: CRASH,
    say: ({ test }) =>
      test === undefined ? failureCause('test_process_ended') : failureCause('test_process_ended_in', { test }),
    show: [10, 2],
  },
  {
    example: 'error: Exited with unexpected signal code 5',
    words: ['unexpected signal code'],
    pattern: /^error: Exited with unexpected signal code (?<signal>\d{1,3})/,
    reason: 'test_crash',
    rank: rank.testEcho,
    suggestion: CRASH,
    say: ({ signal = '' }) => failureCause('test_process_crashed', { signal }),
    show: [10, 2],
  },
  {
    example:
      'Error Domain=IDETestOperationsObserverErrorDomain Code=6 "Early unexpected exit, operation never finished bootstrapping - no restart will be attempted. (Underlying Error: The test runner crashed before establishing connection.)"',
    words: ['never finished bootstrapping', 'test runner', 'idetestoperationsobservererrordomain'],
    pattern:
      /(?<message>Early unexpected exit, operation never finished bootstrapping[^"]{0,400}|Test runner (?:exited|never began|failed to initialize)[^"]{0,400}|The test runner (?:crashed|hung|timed out|failed)[^"]{0,400})/,
    reason: 'test_crash',
    rank: rank.testEcho,
    suggestion: 'tests_not_started',
    show: [8, 3],
  },
  {
    example:
      'Error Domain=IDETestOperationsObserverErrorDomain Code=13 "The bundle could not be loaded" UserInfo={NSLocalizedDescription=The bundle could not be loaded}',
    words: ['idetestoperationsobservererrordomain'],
    pattern: /Error Domain=IDETestOperationsObserverErrorDomain Code=-?\d{1,6} "(?<message>[^"]{1,600})/,
    reason: 'test_crash',
    rank: rank.testEcho,
    suggestion: 'tests_not_started',
    show: [8, 3],
  },
  {
    example: 'CartTests.testSlow() : Test exceeded execution time allowance of 1 minute.',
    words: ['time allowance'],
    pattern: /^\s*(?<message>.*\bexceeded execution time allowance of .{1,60})/,
    reason: 'test_failure',
    rank: rank.testEcho,
    suggestion: 'faster_test',
  },
  {
    example: "Test Case '-[AppTests.CartTests testTotal]' failed (0.011 seconds).",
    words: ["' failed ("],
    pattern: /^\s*Test Case '(?<test>[^']{1,300})' failed \(/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
    show: [8, 1],
  },
  {
    example: "Test case 'CartTests.testTotal()' failed on 'Clone 2 of iPhone 16 - AppTests (4711)' (0.474 seconds)",
    words: ["' failed on '"],
    pattern: /^\s*Test case '(?<test>[^']{1,300})' failed on '/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
    show: [4, 3],
  },
  {
    example: '✘ Test "totals add up" failed after 0.004 seconds with 1 issue.',
    words: ['failed after'],
    pattern: /^\s{0,8}\S{1,8} +(?<test>(?:Test|Suite) .{1,300}) failed after [\d.]{1,12} seconds? with \d{1,7} issues?/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '' }) => failureCause('test_failed', { test }),
    show: [8, 1],
  },
  {
    example: '    ✗ testTotal, XCTAssertEqual failed: ("3") is not equal to ("4")',
    words: ['✗ ', '✖ '],
    pattern: /^\s*[✗✖] (?:\[(?<suite>[^\]]{1,300})\] )?(?<test>[\w.]{1,300}(?:\(\))?)(?:, | \()(?<message>.*)/,
    reason: 'test_failure',
    rank: rank.testEcho,
    say: ({ test = '', message = '' }) =>
      message.startsWith('XCT') ? `${test}: ${message}` : failureCause('test_failed', { test }),
  },
  {
    example: 'Failing tests:\n\tCartTests.testTotal()',
    words: ['failing tests'],
    pattern: /^\s*Failing tests:\s*$/,
    more: { pattern: /^\s*(?<test>[-+]?[[\w][\w .()\]-]{2,300})$/, within: 2 },
    reason: 'test_failure',
    rank: rank.symptom,
    say: ({ test }) => (test === undefined ? failureCause('tests_failed') : failureCause('test_failed', { test })),
  },
  {
    example: 'Testing failed:\n\tCartTests.testTotal() encountered a failure',
    words: ['testing failed'],
    pattern: /^Testing failed:\s*$/,
    more: { pattern: /^\s+(?<detail>\S.{0,400})/, within: 1 },
    reason: 'test_failure',
    rank: rank.symptom,
    during: 'tests',
    say: ({ detail }) =>
      detail === undefined ? failureCause('testing_failed') : failureCause('testing_failed_at', { detail }),
  },
  {
    example: "Testing failed on 'iPhone 16'",
    words: ['testing failed on'],
    pattern: /^(?<message>Testing failed on '.*)/,
    reason: 'test_failure',
    rank: rank.symptom,
  },
  {
    example: 'App/Cart.swift:12: Fatal error: Division by zero',
    words: ['fatal error', 'precondition failed', 'assertion failed'],
    pattern:
      /^(?<file>[^\s:"][^:"]{0,1023}):(?<line>\d{1,7}): (?<message>(?:Fatal error|Precondition failed|Assertion failed)\b.*)/,
    reason: 'script_failed',
    rank: rank.command,
    suggestion: 'trapped_here',
    elsewhere: 'trapped',
  },
  {
    example: '** TEST FAILED **',
    words: ['** test'],
    pattern: /^\*\* TEST(?: EXECUTE)? FAILED \*\*/,
    reason: 'test_failure',
    rank: rank.footer,
    during: 'tests',
    say: () => failureCause('tests_failed'),
    show: [15, 2],
  },
];
