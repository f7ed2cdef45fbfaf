// Logs of builds as the tools write them, each with what it should be explained by.
import type { LogFinding } from '../../control-plane/domain/failure-finding.js';

/** The work folder of the builds that wrote these logs. */
export const WORK = '/Users/ci/work';

/** A build that went well, and quotes everything that could be taken for a failure. */
export const GREEN = `Command line invocation:
    /Applications/Xcode-16.2.app/Contents/Developer/usr/bin/xcodebuild -scheme App -destination "platform=iOS Simulator,name=iPhone 16" test
SwiftCompile normal arm64 ${WORK}/App/ErrorView.swift (in target 'App' from project 'App')
CompileC ${WORK}/build/Legacy.o ${WORK}/App/Legacy.m normal arm64 objective-c -Werror=return-type -Wno-error: -DMESSAGE="error: none"
${WORK}/App/Cart.swift:12:9: warning: variable 'error' was never used; consider replacing with '_'
    let error: Error? = nil
        ^~~~~
${WORK}/App/Cart.swift:14:9: note: error: is only a label here
   12 |   print("error: \\(message)")
      |   \`- warning: string interpolation produces a debug description
    throw Failure("fatal error: unreachable")
error: 0 errors
0 errors, 3 warnings
2 warnings generated.
ld: warning: building for iOS-simulator, but linking in object file built for iOS
ld: warning: ignoring duplicate libraries: '-lc++'
Test Suite 'All tests' started at 2026-03-01 10:00:00.000.
Test Case '-[AppTests.ErrorTests testShowsError]' started.
Test Case '-[AppTests.ErrorTests testShowsError]' passed (0.003 seconds).
Test case 'ErrorTests.testFails()' passed on 'Clone 1 of iPhone 16 - App (4711)' (0.012 seconds)
◇ Test "says error: no such module 'X'" started.
✔ Test "says error: no such module 'X'" passed after 0.001 seconds.
✔ Test run with 2 tests passed after 0.002 seconds.
Test Suite 'All tests' passed at 2026-03-01 10:00:01.000.
	 Executed 3 tests, with 0 failures (0 unexpected) in 0.015 (0.020) seconds
  "message": "command not found",
[!] Automatically assigning platform \`iOS\` with version \`15.0\` on target \`App\`.
npm warn deprecated error@1.0.0: use something else
remote: Enumerating objects: 12, done.
[cidermill] warning: an error: of the service's own
** TEST SUCCEEDED **
`;

export interface FailedLog {
  readonly name: string;
  readonly log: string;
  /** Default 65. */
  readonly exitCode?: number;
  readonly expect: Partial<LogFinding> | null;
  /** What the excerpt has to contain. */
  readonly cause?: string;
}

export const logs: readonly FailedLog[] = [
  {
    name: 'xcodebuild: a Swift error, told several times and summed up',
    log: `${GREEN.split('\n').slice(0, 4).join('\n')}
${WORK}/App/Cart.swift:9:5: warning: immutable value 'a' was never used
${WORK}/App/Cart.swift:12:9: error: cannot find 'totl' in scope
        totl += 1
        ^~~~
${WORK}/App/Order.swift:4:2: error: expected '}' in class
/Users/ci/work/App/Cart.swift:12:9: error: cannot find 'totl' in scope
Failed frontend command:
/Applications/Xcode-16.2.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/bin/swift-frontend -frontend -c error.swift
Command SwiftCompile failed with a nonzero exit code
** BUILD FAILED **

The following build commands failed:
	SwiftCompile normal arm64 ${WORK}/App/Cart.swift (in target 'App' from project 'App')
(1 failure)
`,
    expect: {
      reasonCode: 'compile_error',
      summary: "App/Cart.swift:12: cannot find 'totl' in scope",
      location: { file: 'App/Cart.swift', line: 12, message: "cannot find 'totl' in scope" },
    },
    cause: "Cart.swift:12:9: error: cannot find 'totl'",
  },
  {
    name: 'swift build, the style of Swift 6',
    log: `[1/3] Write swift-version.txt
[2/3] Compiling App main.swift
${WORK}/Sources/App/main.swift:3:7: error: value of type 'Cart' has no member 'totl'
1 | let cart = Cart()
2 |
3 | print(cart.totl)
  |       |    \`- error: value of type 'Cart' has no member 'totl'
4 |
error: emit-module command failed with exit code 1 (use -v to see invocation)
error: fatalError
`,
    exitCode: 1,
    expect: {
      reasonCode: 'compile_error',
      location: {
        file: 'Sources/App/main.swift',
        line: 3,
        message: "value of type 'Cart' has no member 'totl'",
      },
    },
    cause: 'main.swift:3:7',
  },
  {
    name: 'clang, old style, in colour',
    log: `\x1b[1m${WORK}/Lib/pay.c:21:12: \x1b[0m\x1b[0;1;31mfatal error: \x1b[0m\x1b[1m'openssl/ssl.h' file not found\x1b[0m\n#include <openssl/ssl.h>\n\x1b[0;1;32m         ^~~~~~~~~~~~~~~\n\x1b[0m1 error generated.\nmake: *** [pay.o] Error 1\n`,
    exitCode: 2,
    expect: { reasonCode: 'compile_error', summary: "Lib/pay.c:21: 'openssl/ssl.h' file not found" },
    cause: 'openssl/ssl.h',
  },
  {
    name: 'the linker misses a symbol',
    log: `Ld ${WORK}/build/App normal (in target 'App' from project 'App')
Undefined symbols for architecture arm64:
  "_OBJC_CLASS_$_PKPaymentRequest", referenced from:
      in Pay.o
ld: symbol(s) not found for architecture arm64
clang: error: linker command failed with exit code 1 (use -v to see invocation)
** BUILD FAILED **
`,
    expect: {
      reasonCode: 'link_error',
      summary: 'Undefined symbol _OBJC_CLASS_$_PKPaymentRequest for arm64',
      location: null,
    },
    cause: 'PKPaymentRequest',
  },
  {
    name: 'XCTest: the assertion, not the list at the end',
    log: `${TESTS('failed')}
${WORK}/AppTests/CartTests.swift:31: error: -[AppTests.CartTests testTotal] : XCTAssertEqual failed: ("3") is not equal to ("4") - sum
Test Case '-[AppTests.CartTests testTotal]' failed (0.011 seconds).
Test Suite 'All tests' failed at 2026-03-01 10:00:01.000.
Failing tests:
	CartTests.testTotal()

** TEST FAILED **
`,
    expect: {
      reasonCode: 'test_failure',
      location: {
        file: 'AppTests/CartTests.swift',
        line: 31,
        message: '-[AppTests.CartTests testTotal]: XCTAssertEqual failed: ("3") is not equal to ("4") - sum',
      },
    },
    cause: 'XCTAssertEqual failed',
  },
  {
    name: 'parallel tests name only the test',
    log: `Testing started\nTest case 'CartTests.testA()' passed on 'Clone 1 of iPhone 16 - App (1)' (0.4 seconds)\nTest case 'CartTests.testTotal()' failed on 'Clone 2 of iPhone 16 - App (2)' (0.474 seconds)\nFailing tests:\n\tCartTests.testTotal()\n** TEST FAILED **\n`,
    expect: { reasonCode: 'test_failure', summary: 'CartTests.testTotal() failed.', location: null },
    cause: "testTotal()' failed on",
  },
  {
    name: 'Swift Testing',
    log: `◇ Test run started.\n◇ Test totals() started.\n✘ Test totals() recorded an issue at CartTests.swift:18:9: Expectation failed: (total → 3) == 4\n✘ Test totals() failed after 0.002 seconds with 1 issue.\n✘ Test run with 1 test failed after 0.003 seconds with 1 issue.\nerror: fatalError\n`,
    exitCode: 1,
    expect: {
      reasonCode: 'test_failure',
      location: {
        file: 'CartTests.swift',
        line: 18,
        message: 'totals(): Expectation failed: (total → 3) == 4',
      },
    },
    cause: 'recorded an issue',
  },
  {
    name: 'a crash while testing',
    log: `${TESTS('started')}\nAppTests/CartTests.swift:77: Fatal error: Index out of range\nRestarting after unexpected exit, crash, or test timeout in CartTests.testTotal(); summary will include totals from previous launches.\n** TEST FAILED **\n`,
    expect: {
      reasonCode: 'test_crash',
      summary: 'AppTests/CartTests.swift:77: Fatal error: Index out of range',
    },
    cause: 'Index out of range',
  },
  {
    name: 'packages cannot be cloned',
    log: `Resolve Package Graph\nxcodebuild: error: Could not resolve package dependencies:\n  Failed to clone repository https://github.com/example/private.git:\n    Cloning into bare repository '/Users/ci/Library/Caches/x'...\n    fatal: could not read Username for 'https://github.com': terminal prompts disabled\n`,
    exitCode: 74,
    expect: {
      reasonCode: 'package_resolution_failed',
      summary: /Failed to clone repository https:\/\/github\.com\/example\/private\.git/ as unknown as string,
    },
    cause: 'could not read Username',
  },
];

function TESTS(state: string): string {
  return `Test Suite 'All tests' started at 2026-03-01 10:00:00.000.\nTest Case '-[AppTests.CartTests testTotal]' ${state === 'failed' ? 'started' : state}.`;
}
