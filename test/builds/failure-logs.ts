// Logs of builds as the tools write them, each with what it should be explained by.
import type { LogFinding } from '../../control-plane/builds/domain/failure-finding.js';

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
  readonly expect: { readonly [K in keyof LogFinding]?: LogFinding[K] | RegExp } | null;
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
    name: 'clang, old style, in color',
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
      summary: /Failed to clone repository https:\/\/github\.com\/example\/private\.git/,
    },
    cause: 'could not read Username',
  },
  {
    name: 'a fetched package fails to compile, then the build’s own code',
    log: `/Users/ci/Library/Developer/Xcode/DerivedData/App-abc/SourcePackages/checkouts/Cart/Sources/Cart.swift:4:1: error: first, but not ours\n${WORK}/App/View.swift:8:3: error: second, and ours\n** BUILD FAILED **\n`,
    expect: {
      reasonCode: 'compile_error',
      location: { file: 'App/View.swift', line: 8, message: 'second, and ours' },
    },
    cause: 'second, and ours',
  },
  {
    name: 'only a fetched package fails: told, without a place in the work folder',
    log: `/Users/ci/Library/Developer/Xcode/DerivedData/App-abc/SourcePackages/checkouts/Cart/Sources/Cart.swift:4:1: error: not ours\n** BUILD FAILED **\n`,
    expect: { reasonCode: 'compile_error', summary: 'not ours', location: null },
    cause: 'not ours',
  },
  {
    name: 'what was mended by a second try is not the cause',
    log: `${WORK}/App/View.swift:8:3: error: stale module\n** BUILD FAILED **\ntrying once more\n** BUILD SUCCEEDED **\nError: upload refused\n`,
    exitCode: 1,
    expect: { reasonCode: 'script_failed', summary: 'upload refused' },
    cause: 'upload refused',
  },
  {
    name: 'a script without set -e: when only tools that succeeded follow, the earlier failure counts',
    log: `${WORK}/App/View.swift:8:3: error: broken\n** BUILD FAILED **\nBuild complete! (3.1s)\n`,
    expect: { reasonCode: 'compile_error', summary: 'App/View.swift:8: broken' },
  },
  {
    name: 'an optional tool that is missing, then the exit code of another',
    log: `bash: line 2: swiftlint: command not found\n${WORK}/App/View.swift:8:3: error: broken\n`,
    expect: { reasonCode: 'compile_error' },
    cause: 'broken',
  },
  {
    name: 'exit code 127 names the last command that was missing',
    log: `bash: line 2: swiftlint: command not found\n${WORK}/App/View.swift:8:3: error: broken\nbash: line 7: xcbeautify: command not found\n`,
    exitCode: 127,
    expect: {
      reasonCode: 'command_not_found',
      summary: 'The command xcbeautify was not found.',
      logExcerptLines: [1, 3],
    },
  },
  {
    name: 'exit code 126',
    log: `bash: line 9: ./ci/upload.sh: Permission denied\n`,
    exitCode: 126,
    expect: { reasonCode: 'not_executable', summary: './ci/upload.sh is not executable.' },
  },
  {
    name: 'exit code 127, and the log does not say of what: the exit code speaks for itself',
    log: `${WORK}/App/View.swift:8:3: error: broken\n`,
    exitCode: 127,
    expect: null,
  },
  {
    name: 'killed, whatever else was said',
    log: `${WORK}/App/View.swift:8:3: error: broken\nbash: line 3: 4711 Killed: 9               xcodebuild build\n`,
    exitCode: 137,
    expect: { reasonCode: 'killed', summary: 'Killed by the system (signal 9): xcodebuild build' },
  },
  {
    name: 'a full disk breaks everything after it',
    log: `${WORK}/App/View.swift:8:3: error: cannot load underlying module\nerror: unable to write ${WORK}/build/x.o: No space left on device\n** BUILD FAILED **\n`,
    expect: { reasonCode: 'disk_full', summary: 'error: unable to write build/x.o: No space left on device' },
    cause: 'No space left',
  },
  {
    name: 'a script phase fails: the line above it',
    log: `PhaseScriptExecution Lint ${WORK}/build/Script-1.sh (in target 'App' from project 'App')\n${WORK}/build/Script-1.sh: line 3: swiftgen: command not found\nCommand PhaseScriptExecution failed with a nonzero exit code\n** BUILD FAILED **\n`,
    expect: { reasonCode: 'command_not_found', summary: 'The command swiftgen was not found.' },
    cause: 'swiftgen: command not found',
  },
  {
    name: 'a script phase fails without a word',
    log: `generating\nsomething is odd\nCommand PhaseScriptExecution failed with a nonzero exit code\n** BUILD FAILED **\n`,
    expect: { reasonCode: 'script_failed', summary: 'A script phase of the Xcode project failed.' },
    cause: 'something is odd',
  },
  {
    name: 'xcodebuild says only that it failed',
    log: `** ARCHIVE FAILED **\n\nThe following build commands failed:\n\tCompileAssetCatalog ${WORK}/build/App.app\n(1 failure)\n`,
    expect: {
      reasonCode: 'xcodebuild_failed',
      summary: 'xcodebuild failed (archive) at: CompileAssetCatalog build/App.app',
    },
  },
  {
    name: 'no such destination',
    log: `xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n\t\t{ platform:iOS Simulator, OS:latest, name:iPhone 99 }\n\n\tAvailable destinations for the "App" scheme:\n\t\t{ platform:macOS, arch:arm64 }\n`,
    exitCode: 70,
    expect: {
      reasonCode: 'scheme_or_destination_not_found',
      summary:
        'Unable to find a destination matching the provided destination specifier: { platform:iOS Simulator, OS:latest, name:iPhone 99 }',
    },
    cause: 'iPhone 99',
  },
  {
    name: 'signing',
    log: `${WORK}/App.xcodeproj: error: No profiles for 'com.example.app' were found: Xcode couldn't find any. (in target 'App' from project 'App')\nerror: exportArchive No signing certificate "iOS Distribution" found\n** ARCHIVE FAILED **\n`,
    expect: { reasonCode: 'signing_error', suggestion: /CODE_SIGNING_ALLOWED/ },
    cause: 'No profiles for',
  },
  {
    name: 'an export without its profile',
    log: `error: exportArchive No profiles for 'com.example.app' were found\n** EXPORT FAILED **\n`,
    exitCode: 70,
    expect: { reasonCode: 'signing_error', summary: "No profiles for 'com.example.app' were found" },
  },
  {
    name: 'codesign without its keychain',
    log: `/usr/bin/codesign --force --sign ABCDEF ${WORK}/build/App.app\n${WORK}/build/App.app: errSecInternalComponent\nCommand CodeSign failed with a nonzero exit code\n`,
    expect: { reasonCode: 'signing_error', suggestion: /unlock-keychain/ },
    cause: 'errSecInternalComponent',
  },
  {
    name: 'CocoaPods: versions',
    log: `Analyzing dependencies\n[!] CocoaPods could not find compatible versions for pod "Cart":\n  In Podfile:\n    Cart (~> 2.0)\n\nNone of your spec sources contain a spec satisfying the dependency\n`,
    exitCode: 1,
    expect: {
      reasonCode: 'cocoapods_failed',
      summary: 'CocoaPods could not find compatible versions for pod "Cart"',
    },
    cause: 'Cart (~> 2.0)',
  },
  {
    name: 'CocoaPods: the CDN refuses',
    log: `Adding spec repo \`trunk\` with CDN\n[!] CDN: trunk URL couldn't be downloaded: https://cdn.cocoapods.org/x.txt Response: 429 429: Too Many Requests\n`,
    exitCode: 1,
    expect: { reasonCode: 'network_error' },
    cause: '429',
  },
  {
    name: 'git inside the script',
    log: `Cloning into 'dep'...\nfatal: could not read Username for 'https://github.com': terminal prompts disabled\n`,
    exitCode: 128,
    expect: { reasonCode: 'clone_failed', suggestion: /GIT_TOKEN/ },
    cause: 'could not read Username',
  },
  {
    name: 'the compiler crashes',
    log: `Please submit a bug report (https://swift.org/contributing/#reporting-bugs) and include the crash backtrace.\nStack dump:\n0.\tProgram arguments: swift-frontend -c x.swift\n1.\tApple Swift version 6.0.3\n2.\tWhile evaluating request TypeCheckSourceFileRequest\nerror: compile command failed due to signal 6 (use -v to see invocation)\n`,
    expect: {
      reasonCode: 'compiler_crash',
      summary: 'The compiler crashed: While evaluating request TypeCheckSourceFileRequest',
    },
    cause: 'Stack dump',
  },
  {
    name: 'a crash of which only the dump is there',
    log: `Stack dump:\n0.\tProgram arguments: /Applications/Xcode.app/usr/bin/swift-frontend -c x.swift\n1.\tApple Swift version 6.0.3\n2.\tWhile emitting IR SIL function\n`,
    exitCode: 1,
    expect: {
      reasonCode: 'compiler_crash',
      summary: 'swift-frontend crashed: While emitting IR SIL function',
    },
    cause: 'While emitting',
  },
  {
    name: 'a pretty printer in between',
    log: `[12:00:01]: ▸ Compiling Cart.swift\n[12:00:02]: ▸ ❌  ${WORK}/App/Cart.swift:12:9: cannot find 'totl' in scope\n[12:00:02]: ▸ totl += 1\n** BUILD FAILED **\n`,
    expect: {
      reasonCode: 'compile_error',
      location: { file: 'App/Cart.swift', line: 12, message: "cannot find 'totl' in scope" },
    },
  },
  {
    name: 'an argument with colons in a test of Swift Testing',
    log: `◇ Test run started.\n✘ Test price(text:) recorded an issue with 1 argument text → "a:b at c" at PriceTests.swift:7:5: Expectation failed: price == 3\n`,
    exitCode: 1,
    expect: {
      reasonCode: 'test_failure',
      location: {
        file: 'PriceTests.swift',
        line: 7,
        message: 'price(text:): Expectation failed: price == 3',
      },
    },
  },
  {
    name: 'a comment of Swift Testing stands on the next line',
    log: `◇ Test run started.\n✘ Test price() recorded an issue at PriceTests.swift:7:5: Expectation failed: price == 3\n↳ three for two\n`,
    exitCode: 1,
    expect: { summary: 'PriceTests.swift:7: price(): Expectation failed: price == 3 three for two' },
    cause: 'three for two',
  },
  {
    name: 'a complaint that was tolerated, long before another command ended the script',
    log: `fatal: No names found, cannot describe anything.\n${'uploading\n'.repeat(60)}Error: upload refused\nError: giving up\n`,
    exitCode: 1,
    expect: { reasonCode: 'script_failed', summary: 'upload refused' },
    cause: 'upload refused',
  },
  {
    name: 'many errors of one command: the first, however long it goes on',
    log: `Error: the first\n${'working\nError: more\n'.repeat(60)}`,
    exitCode: 1,
    expect: { summary: 'the first', logExcerptLines: [1, 6] },
  },
  {
    name: 'no tool that is known: the first error it names',
    log: `deploying\nError: the bucket does not exist\n    at upload (index.js:3)\nmake: *** [deploy] Error 1\n`,
    exitCode: 2,
    expect: { reasonCode: 'script_failed', summary: 'the bucket does not exist' },
    cause: 'bucket',
  },
  {
    name: 'nothing that is known',
    log: 'one\ntwo\nthree\n',
    exitCode: 1,
    expect: null,
  },
];

function TESTS(state: string): string {
  return `Test Suite 'All tests' started at 2026-03-01 10:00:00.000.\nTest Case '-[AppTests.CartTests testTotal]' ${state === 'failed' ? 'started' : state}.`;
}
