// XCTest, alone, under swift test and in parallel; Swift Testing; crashes while testing.
import { type Item, WORK } from './item.js';

const failure = (lines: string, says: string, at?: Item['at'], cause?: string): Item => ({
  lines,
  code: 'test_failure',
  says,
  ...(at && { at }),
  ...(cause && { cause }),
});
const crash = (lines: string, says: string, at?: Item['at']): Item => ({
  lines,
  code: 'test_crash',
  says,
  ...(at && { at }),
});

/** All of these stand behind the line that says that tests begin. */
export const testItems: readonly Item[] = [
  failure(
    `${WORK}/AppTests/CartTests.swift:31: error: -[AppTests.CartTests testTotal] : XCTAssertEqual failed: ("3") is not equal to ("4")\nTest Case '-[AppTests.CartTests testTotal]' failed (0.011 seconds).`,
    '-[AppTests.CartTests testTotal]: XCTAssertEqual failed: ("3") is not equal to ("4")',
    ['AppTests/CartTests.swift', 31],
  ),
  failure(
    `${WORK}/AppTests/CartTests.swift:31: error: CartTests.testTotal : XCTAssertTrue failed`,
    'CartTests.testTotal: XCTAssertTrue failed',
    ['AppTests/CartTests.swift', 31],
  ),
  failure(
    `<unknown>:0: error: -[AppTests.CartTests testTotal] : Asynchronous wait failed: Exceeded timeout of 1 seconds`,
    '-[AppTests.CartTests testTotal]: Asynchronous wait failed: Exceeded timeout of 1 seconds',
  ),
  failure(
    `${WORK}/AppTests/CartTests.swift:31: error: -[AppTests.CartTests testTotal] : failed - caught error: "The file “error: none.txt” couldn’t be opened."`,
    '-[AppTests.CartTests testTotal]: failed - caught error: "The file “error: none.txt” couldn’t be opened."',
    ['AppTests/CartTests.swift', 31],
  ),
  failure(
    "Test Case '-[AppTests.CartTests testTotal]' failed (0.1 seconds).",
    '-[AppTests.CartTests testTotal] failed.',
  ),
  failure("Test Case 'CartTests.testTotal' failed (0.1 seconds)", 'CartTests.testTotal failed.'),
  failure(
    "Test case 'CartTests.testTotal()' failed on 'Clone 2 of iPhone 16 - AppTests (4711)' (0.474 seconds)",
    'CartTests.testTotal() failed.',
  ),
  failure(
    '✘ Test totals() recorded an issue at CartTests.swift:18:9: Expectation failed: (total → 3) == 4',
    'totals(): Expectation failed: (total → 3) == 4',
    ['CartTests.swift', 18],
  ),
  failure(
    '\u{10097e} Test "adds up" recorded an issue at CartTests.swift:18:9: Caught error: .empty',
    '"adds up": Caught error: .empty',
    ['CartTests.swift', 18],
  ),
  failure('✘ Test totals() failed after 0.002 seconds with 1 issue.', 'Test totals() failed.'),
  failure('✘ Test run with 12 tests failed after 0.302 seconds with 1 issue.', 'Test run with 12 tests failed.'),
  failure(
    '✘ Test run with 12 tests in 3 suites failed after 1.302 seconds with 2 issues.',
    'Test run with 12 tests in 3 suites failed.',
  ),
  failure(
    'CartTests.testSlow() : Test exceeded execution time allowance of 1 minute.',
    'CartTests.testSlow() : Test exceeded execution time allowance of 1 minute.',
  ),
  failure('Failing tests:\n\tCartTests.testTotal()', 'CartTests.testTotal() failed.'),
  failure(
    'Testing failed:\n\tCartTests.testTotal() encountered a failure',
    'Testing failed: CartTests.testTotal() encountered a failure',
  ),
  crash(
    'Restarting after unexpected exit, crash, or test timeout in CartTests.testTotal(); summary will include totals from previous launches.',
    'The test process ended or hung in CartTests.testTotal().',
  ),
  crash(
    'Restarting after unexpected exit, crash, or test timeout; summary will include totals from previous launches.',
    'The test process ended or hung.',
  ),
  crash(
    'Restarting after unexpected exit or crash in CartTests/testTotal(); summary will include totals from previous launches.',
    'The test process ended or hung in CartTests/testTotal().',
  ),
  crash(
    'Early unexpected exit, operation never finished bootstrapping - no restart will be attempted. (Underlying Error: The test runner crashed before establishing connection.)',
    'Early unexpected exit, operation never finished bootstrapping - no restart will be attempted. (Underlying Error: The test runner crashed before establishing connection.)',
  ),
  crash(
    'Error Domain=IDETestOperationsObserverErrorDomain Code=6 "Early unexpected exit, operation never finished bootstrapping - no restart will be attempted."',
    'Early unexpected exit, operation never finished bootstrapping - no restart will be attempted.',
  ),
  crash(
    'Error Domain=IDETestOperationsObserverErrorDomain Code=13 "Something that is not known yet" UserInfo={NSLocalizedDescription=Something}',
    'Something that is not known yet',
  ),
  crash('AppTests/CartTests.swift:77: Fatal error: Index out of range', 'Fatal error: Index out of range', [
    'AppTests/CartTests.swift',
    77,
  ]),
  crash(
    `Fatal error: Unexpectedly found nil while unwrapping an Optional value: file ${WORK}/App/Cart.swift, line 12`,
    'Fatal error: Unexpectedly found nil while unwrapping an Optional value',
    ['App/Cart.swift', 12],
  ),
  crash(`Precondition failed: no items: file ${WORK}/App/Cart.swift, line 12`, 'Precondition failed: no items', [
    'App/Cart.swift',
    12,
  ]),
  crash('App/Cart.swift:12: Precondition failed: no items', 'Precondition failed: no items', ['App/Cart.swift', 12]),
  crash('App/Cart.swift:12: Assertion failed: no items', 'Assertion failed: no items', ['App/Cart.swift', 12]),
  crash(
    "2026-03-01 10:00:00.123 xctest[811:9042] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds'",
    "uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds'",
  ),
  crash('error: Exited with unexpected signal code 5', 'The test process crashed with signal 5.'),
  crash(
    'CartTests.testTotal() encountered an error (Crash: xctest at CartTests.testTotal(). Test crashed with signal abrt.)',
    'CartTests.testTotal(): Crash: xctest at CartTests.testTotal(). Test crashed with signal abrt.',
  ),
];

/** Last lines of test runs that say nothing else. */
export const testFooterItems: readonly Item[] = [
  failure('** TEST FAILED **', 'Tests failed.'),
  failure('** TEST EXECUTE FAILED **', 'Tests failed.'),
  failure("Testing failed on 'iPhone 16'", "Testing failed on 'iPhone 16'"),
];
