// Lines that look like failures and are none; and logs whose cause is not where it seems to be.
import type { FailedLog } from '../failure-logs.js';
import { DERIVED, WORK } from './item.js';

/** Nothing in any of these says why a build failed. */
export const harmless: readonly string[] = [
  `${WORK}/App/Cart.swift:12:9: warning: variable 'error' was never used; consider replacing with '_'`,
  `${WORK}/App/Cart.swift:14:9: note: error: is only a label here`,
  `${WORK}/App/Cart.swift:14:9: remark: no such module 'Gone' was asked for`,
  `${WORK}/App.xcodeproj: warning: Signing for "App" requires a development team in the future (in target 'App' from project 'App')`,
  "warning: no such module 'Alamofire' in the index",
  '<unknown>:0: warning: error: was renamed',
  '<module-includes>:1:1: warning: umbrella header not found',
  "clang: warning: argument unused during compilation: '-Werror'",
  'ld: warning: building for iOS-simulator, but linking in object file built for iOS',
  "ld: warning: ignoring duplicate libraries: '-lc++'",
  'ld: ignoring file /opt/lib/libpay.dylib, building for macOS-arm64 but attempting to link with file built for macOS-x86_64',
  'ld: warning: Undefined symbols are looked up dynamically',
  '    print("error: \\(message)")',
  '    throw Failure("fatal error: unreachable")',
  '12 |   fatalError("Fatal error: Index out of range")',
  '   |   `- warning: string interpolation produces a debug description',
  '    return "ld: library not found for -lcart"; // error: none',
  'XCTAssertThrowsError("App/Cart.swift:1:1: error: quoted")',
  '          ^~~~~ error: here',
  `CompileC ${WORK}/build/Error.o ${WORK}/App/Error.m normal arm64 objective-c -Werror -Werror=return-type -Wno-error=deprecated -Wfatal-errors`,
  `SwiftCompile normal arm64 ${WORK}/App/FatalError.swift ${WORK}/App/TestFailed.swift (in target 'App' from project 'App')`,
  `CpResource ${WORK}/build/error:\\ badge.png ${WORK}/App/error:\\ badge.png`,
  `CopyPNGFile ${WORK}/build/failed.png ${WORK}/App/failed.png`,
  `    export ERROR_MESSAGE=error:\\ none`,
  "Test Case '-[AppTests.ErrorTests testFailed]' started.",
  "Test Case '-[AppTests.ErrorTests testFailed]' passed (0.003 seconds).",
  "Test Case '-[AppTests.ErrorTests testFailed]' skipped (0.003 seconds).",
  "Test case 'FailedTests.testFails()' passed on 'Clone 1 of iPhone 16 - App (4711)' (0.012 seconds)",
  "Test Suite 'FailedTests' passed at 2026-03-01 10:00:01.000.",
  `${WORK}/AppTests/CartTests.swift:31: -[AppTests.CartTests testKnown] : expected failure: XCTAssertEqual failed: ("3") is not equal to ("4")`,
  '\t Executed 12 tests, with 0 failures (0 unexpected) in 0.015 (0.020) seconds',
  '◇ Test "says error: no such module" started.',
  '✔ Test "failed after 3 seconds" passed after 0.001 seconds.',
  '✘ Test known() recorded a known issue at CartTests.swift:18:9: Expectation failed: 3 == 4',
  '✔ Test run with 2 tests passed after 0.002 seconds with 1 known issue.',
  '    ✔ testFails (0.003 seconds)',
  '  ✓ rejects with Error: bad input (3 ms)',
  'PASS src/error.test.ts',
  'error: 0 errors',
  'error: none',
  'Error: null',
  '0 errors, 3 warnings',
  '0 failures, 0 errors',
  'Tests: 0 failed, 12 passed, 12 total',
  'Done linting! Found 3 violations, 0 serious in 12 files.',
  '2 warnings generated.',
  '  "message": "command not found",',
  '{"error": null, "errors": []}',
  '[!] Automatically assigning platform `iOS` with version `15.0` on target `App`.',
  '[!] [Xcodeproj] Generated duplicate UUIDs:',
  '[!] `<PBXResourcesBuildPhase UUID=`1F2E`>` attempted to initialize an object with an unknown UUID.',
  'npm warn deprecated error@1.0.0: use something else',
  'npm notice New major version of npm available!',
  'remote: Enumerating objects: 12, done.',
  'remote: warning: File errors.bin is 60.00 MB',
  'warning: redirecting to https://github.com/example/cart.git/',
  'hint: You can disable this warning',
  'make: Nothing to be done for `all`.',
  "make[1]: Entering directory '/Users/ci/work'",
  'env: production',
  'signing identity:     "Apple Development: CI (ABCDE12345)"',
  'note: Using codesigning identity override: -',
  '--- xcodebuild: WARNING: Using the first of multiple matching destinations:',
  '2026-03-01 10:00:00.000 xcodebuild[812:9043] [MT] IDETestOperationsObserverDebug: 12.300 elapsed -- Testing started completed.',
  'objc[812]: Class Cart is implemented in both App and Pay. One of the two will be used. Which one is undefined.',
  '::warning file=App/Cart.swift,line=12::error: is only quoted',
  '[10:00:01]: ▸ Compiling ErrorView.swift',
  "[10:00:01]: ▸ Running script 'Fail on error: no'",
  "curl: try 'curl --help' for more information",
  'Restarting the simulator after the update',
  '[cidermill] error: a line of the service itself',
  '* fixed: "command not found: swiftgen"',
  '/usr/lib/ruby/error.rb:12: warning: already initialized constant ERROR',
];

const swift = (name: string, line: number, what: string) =>
  `${WORK}/App/${name}.swift:${line}:9: error: ${what}\n`;
const started = "Test Suite 'All tests' started at 2026-03-01 10:00:00.000.\n";
const test = (name: string, how: string) => `Test Case '-[AppTests.CartTests ${name}]' ${how}\n`;
const assertion = (name: string, line: number) =>
  `${WORK}/AppTests/CartTests.swift:${line}: error: -[AppTests.CartTests ${name}] : XCTAssertTrue failed\n`;

export const trapLogs: readonly FailedLog[] = [
  {
    name: 'one error, said again for every batch of files',
    log: `${`SwiftCompile normal arm64\n${swift('Cart', 4, "no such module 'Alamofire'")}`.repeat(10)}** BUILD FAILED **\n`,
    expect: {
      reasonCode: 'compile_error',
      location: { file: 'App/Cart.swift', line: 4, message: "no such module 'Alamofire'" },
      logExcerptLines: [1, 7],
    },
  },
  {
    name: 'a fatal error twice, first with a clock and a process before it',
    log: `${started}2026-03-01 10:00:00.123 xctest[811:9042] App/Cart.swift:12: Fatal error: no items\nApp/Cart.swift:12: Fatal error: no items\n`,
    expect: {
      reasonCode: 'test_crash',
      location: { file: 'App/Cart.swift', line: 12, message: 'Fatal error: no items' },
    },
    cause: 'xctest[811:9042] App/Cart.swift:12',
  },
  ...[
    `[10:00:01]: ▸ ❌  ${WORK}/App/Cart.swift:12:9: cannot find 'totl' in scope`,
    `❌ ${WORK}/App/Cart.swift:12:9: cannot find 'totl' in scope`,
    `\x1b[31m❌  ${WORK}/App/Cart.swift:12:9: cannot find 'totl' in scope\x1b[0m`,
    `[x] ${WORK}/App/Cart.swift:12:9: cannot find 'totl' in scope`,
    "::error file=App/Cart.swift,line=12,col=9::cannot find 'totl' in scope",
    `::error file=${WORK}/App/Cart.swift,line=12::cannot find 'totl' in scope`,
    `[10:00:01]: ${WORK}/App/Cart.swift:12:9: error: cannot find 'totl' in scope`,
    `\x1b[1m${WORK}/App/Cart.swift:12:9: \x1b[31merror: \x1b[0m\x1b[1mcannot find 'totl' in scope\x1b[0m`,
  ].map((line) => ({
    name: `by way of another program: ${line}`,
    log: `[10:00:00]: ▸ Compiling Cart.swift\n${line}\n[10:00:02]: ▸ Build Failed\n`,
    expect: {
      reasonCode: 'compile_error',
      location: { file: 'App/Cart.swift', line: 12, message: "cannot find 'totl' in scope" },
    } as const,
  })),
  {
    name: 'xcodebuild went well, a later step did not',
    log: `${WORK}/App/Cart.swift:12:9: warning: old\n** BUILD SUCCEEDED **\nuploading\nError: the server refused the file\n`,
    exitCode: 1,
    expect: { reasonCode: 'script_failed', summary: 'the server refused the file' },
  },
  ...[
    'Pods/Cart/Cart.swift',
    '.build/checkouts/cart/Cart.swift',
    `${DERIVED}/SourcePackages/checkouts/cart/Cart.swift`,
  ].map((path) => ({
    name: `own code before what was fetched: ${path}`,
    log: `${path}:3:1: error: not ours\n${swift('View', 8, 'ours')}** BUILD FAILED **\n`,
    expect: { location: { file: 'App/View.swift', line: 8, message: 'ours' } },
    cause: 'ours',
  })),
  {
    name: 'a masked secret stays masked, in the path too',
    log: `${WORK}/App/***/Cart.swift:12:9: error: invalid key '***'\n`,
    expect: {
      summary: "App/***/Cart.swift:12: invalid key '***'",
      location: { file: 'App/***/Cart.swift', line: 12, message: "invalid key '***'" },
    },
  },
  {
    name: 'a warning that -Werror made an error',
    log: `CompileC Pay.o -Werror\n${WORK}/Lib/Pay.m:3:1: error: unused function 'pay' [-Werror,-Wunused-function]\n`,
    expect: { reasonCode: 'compile_error', summary: /unused function/ },
  },
  {
    name: 'a test that went well at its second try is not the one that failed',
    log: `${started}${test('testFlaky', 'started.')}${assertion('testFlaky', 7)}${test('testFlaky', 'failed (0.1 seconds).')}${test('testFlaky', 'passed (0.1 seconds).')}${assertion('testTotal', 31)}${test('testTotal', 'failed (0.1 seconds).')}** TEST FAILED **\n`,
    expect: {
      reasonCode: 'test_failure',
      location: { file: 'AppTests/CartTests.swift', line: 31, message: /testTotal/ as never },
    },
  },
  {
    name: 'nor is it in parallel',
    log: "Testing started\nTest case 'A.flaky()' failed on 'Clone 1 of iPhone 16' (0.1 seconds)\nTest case 'A.flaky()' passed on 'Clone 1 of iPhone 16' (0.1 seconds)\nTest case 'B.total()' failed on 'Clone 2 of iPhone 16' (0.1 seconds)\n** TEST FAILED **\n",
    expect: { reasonCode: 'test_failure', summary: 'B.total() failed.' },
  },
  {
    name: 'when only that test failed at first, it is all there is to tell',
    log: `${started}${assertion('testFlaky', 7)}${test('testFlaky', 'failed (0.1 seconds).')}${test('testFlaky', 'passed (0.1 seconds).')}`,
    exitCode: 1,
    expect: { reasonCode: 'test_failure', summary: /testFlaky/ },
  },
  {
    name: 'a second try to install pods went well',
    log: `[!] CDN: trunk URL couldn't be downloaded: https://cdn.cocoapods.org/x.txt Response: 429\nPod installation complete! There are 3 dependencies from the Podfile and 3 total pods installed.\n${swift('Cart', 12, 'oops')}`,
    expect: { reasonCode: 'compile_error', summary: 'App/Cart.swift:12: oops' },
  },
  {
    name: 'the program traps after its tests went well',
    log: `${started}** TEST SUCCEEDED **\nTool/main.swift:3: Fatal error: no arguments\n`,
    exitCode: 133,
    expect: {
      reasonCode: 'script_failed',
      location: { file: 'Tool/main.swift', line: 3, message: 'Fatal error: no arguments' },
    },
  },
];
