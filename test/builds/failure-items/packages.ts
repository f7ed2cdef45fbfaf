// Swift packages, CocoaPods, gems, npm, yarn; git and the network under them.
import { type Item, WORK } from './item.js';

const packages = (lines: string, says: string, exitCode = 74): Item => ({
  lines,
  code: 'package_resolution_failed',
  says,
  exitCode,
});
const pods = (lines: string, says: string): Item => ({ lines, code: 'cocoapods_failed', says, exitCode: 1 });
const network = (lines: string, says: string, exitCode = 1): Item => ({
  lines,
  code: 'network_error',
  fault: 'unknown',
  says,
  exitCode,
});

export const packageItems: readonly Item[] = [
  packages(
    "xcodebuild: error: Could not resolve package dependencies:\n  Failed to clone repository https://github.com/example/private.git:\n    Cloning into bare repository '/Users/ci/Library/Caches/org.swift.swiftpm/repositories/private-1'...\n    fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    'Could not resolve package dependencies: Failed to clone repository https://github.com/example/private.git:',
  ),
  packages(
    "xcodebuild: error: Could not resolve package dependencies:\n  Couldn't check out revision '3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2':\n    fatal: unable to read tree 3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2",
    "Could not resolve package dependencies: Couldn't check out revision '3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2':",
  ),
  packages(
    'xcodebuild: error: Could not resolve package dependencies:\n  fatalError',
    'Could not resolve package dependencies: fatalError',
  ),
  packages(
    "error: Failed to clone repository https://github.com/example/private.git:\n    fatal: repository 'https://github.com/example/private.git/' is private",
    "Failed to clone repository https://github.com/example/private.git: repository 'https://github.com/example/private.git/' is private",
    1,
  ),
  packages(
    'error: Couldn’t check out revision ‘3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2’:\n    fatal: unable to read tree',
    'Couldn’t check out revision ‘3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2’: unable to read tree',
    1,
  ),
  packages(
    "error: product 'Pay' required by package 'cart' target 'Cart' not found in package 'pay'.",
    "product 'Pay' required by package 'cart' target 'Cart' not found in package 'pay'.",
    1,
  ),
  packages(
    "error: Dependencies could not be resolved because root depends on 'cart' 2.0.0..<3.0.0 and 'pay' depends on 'cart' 1.0.0..<2.0.0.",
    "Dependencies could not be resolved because root depends on 'cart' 2.0.0..<3.0.0 and 'pay' depends on 'cart' 1.0.0..<2.0.0.",
    1,
  ),
  packages(
    `error: the package at '${WORK}/Packages/Cart' cannot be accessed (${WORK}/Packages/Cart doesn't exist in file system)`,
    "the package at 'Packages/Cart' cannot be accessed (Packages/Cart doesn't exist in file system)",
    1,
  ),
  packages(
    'error: \'work\': Invalid manifest (compiled with: ["/usr/bin/swiftc"])',
    '\'work\': Invalid manifest (compiled with: ["/usr/bin/swiftc"])',
    1,
  ),
  {
    lines: `error: 'work': Invalid manifest (compiled with: ["/usr/bin/swiftc"])\n${WORK}/Package.swift:9:1: error: expected ')' in expression list`,
    cause: 'Package.swift:9:1',
    code: 'package_resolution_failed',
    at: ['Package.swift', 9],
    says: "expected ')' in expression list",
    exitCode: 1,
  },
  packages(
    "error: checksum of downloaded artifact of binary target 'Pay' (1f2e) does not match checksum specified by the manifest (3d4c)",
    "checksum of downloaded artifact of binary target 'Pay' (1f2e) does not match checksum specified by the manifest (3d4c)",
  ),
  packages(
    "error: package 'cart' is using Swift tools version 6.2.0 but the installed version is 6.0.3",
    "package 'cart' is using Swift tools version 6.2.0 but the installed version is 6.0.3",
    1,
  ),
  packages(
    `${WORK}/App.xcodeproj: error: Missing package product 'Alamofire' (in target 'App' from project 'App')`,
    "Missing package product 'Alamofire' (in target 'App' from project 'App')",
  ),
  {
    lines: "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    code: 'clone_failed',
    says: "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    exitCode: 128,
  },
  {
    lines: "fatal: couldn't find remote ref refs/heads/gone",
    code: 'commit_not_found',
    says: "fatal: couldn't find remote ref refs/heads/gone",
    exitCode: 128,
  },
  pods(
    '[!] CocoaPods could not find compatible versions for pod "Cart":\n  In snapshot (Podfile.lock):\n    Cart (= 1.0.0)\n\n  In Podfile:\n    Cart (~> 2.0)',
    'CocoaPods could not find compatible versions for pod "Cart"',
  ),
  pods(
    '[!] CocoaPods could not find compatible versions for pod "Cart":\n  In Podfile:\n    Cart\n\nSpecs satisfying the `Cart` dependency were found, but they required a higher minimum deployment target.',
    'CocoaPods could not find compatible versions for pod "Cart"',
  ),
  pods(
    '[!] Invalid `Podfile` file: syntax error, unexpected end-of-input.\n\n #  from /Users/ci/work/Podfile:12',
    'Invalid `Podfile` file: syntax error, unexpected end-of-input.',
  ),
  pods(
    '[!] Unable to find a specification for `Cart (~> 2.0)` depended upon by `Pay`',
    'Unable to find a specification for `Cart (~> 2.0)` depended upon by `Pay`',
  ),
  pods(
    '[!] Error installing Cart\n[!] /usr/bin/git clone https://github.com/example/cart.git /tmp/d -q\n\nfatal: repository moved',
    'Error installing Cart',
  ),
  pods(
    '[!] The following Swift pods cannot yet be integrated as static libraries:\n\nThe Swift pod `Cart` depends upon `Pay`, which does not define modules.',
    'The following Swift pods cannot yet be integrated as static libraries:',
  ),
  pods(
    '\x1b[31m[!] Invalid `Podfile` file: undefined local variable or method `pood`.\x1b[0m',
    'Invalid `Podfile` file: undefined local variable or method `pood`.',
  ),
  network(
    "[!] CDN: trunk URL couldn't be downloaded: https://cdn.cocoapods.org/all_pods_versions_1_2_3.txt Response: 429 429: Too Many Requests",
    "CDN: trunk URL couldn't be downloaded: https://cdn.cocoapods.org/all_pods_versions_1_2_3.txt Response: 429 429: Too Many Requests",
  ),
  packages(
    'npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/crat - Not found',
    'code E404 404 Not Found - GET https://registry.npmjs.org/crat - Not found',
    1,
  ),
  packages(
    'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree',
    'code ERESOLVE ERESOLVE unable to resolve dependency tree',
    1,
  ),
  network('npm ERR! code E503\nnpm ERR! 503 Service Unavailable', 'code E503'),
  network(
    'error An unexpected error occurred: "https://registry.yarnpkg.com/cart: Request failed \\"502 Bad Gateway\\"".',
    'An unexpected error occurred: "https://registry.yarnpkg.com/cart: Request failed \\"502 Bad Gateway\\"".',
  ),
  network(
    '➤ YN0035: │ cart@npm:1.0.0: The remote server failed to provide the requested resource\n➤ YN0035: │   Response Code: 503 (Service Unavailable)',
    'Response Code: 503 (Service Unavailable)',
  ),
  packages(
    '➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.',
    'The lockfile would have been modified by this install, which is explicitly forbidden.',
    1,
  ),
  packages(
    'error Couldn\'t find package "crat" on the "npm" registry.',
    'Couldn\'t find package "crat" on the "npm" registry.',
    1,
  ),
  {
    lines: 'bundler: command not found: fastlane\nInstall missing gem executables with `bundle install`',
    code: 'command_not_found',
    says: 'The command fastlane was not found.',
    exitCode: 127,
  },
  packages(
    "Could not find gem 'fastlane (~> 3.0)' in locally installed gems.",
    "Could not find gem 'fastlane (~> 3.0)' in locally installed gems.",
    7,
  ),
  packages(
    "Could not find gem 'fastlane (~> 3.0)' in rubygems repository https://rubygems.org/ or installed locally.",
    "Could not find gem 'fastlane (~> 3.0)' in rubygems repository https://rubygems.org/ or installed locally.",
    7,
  ),
  network(
    "fatal: unable to access 'https://github.com/example/cart.git/': Could not resolve host: github.com",
    "fatal: unable to access 'https://github.com/example/cart.git/': Could not resolve host: github.com",
    128,
  ),
  network(
    'curl: (6) Could not resolve host: artifacts.example.com',
    'curl: (6) Could not resolve host: artifacts.example.com',
    6,
  ),
  network(
    'Error Domain=NSURLErrorDomain Code=-1003 "A server with the specified hostname could not be found." UserInfo={NSLocalizedDescription=A server with the specified hostname could not be found.}',
    'Error Domain=NSURLErrorDomain Code=-1003 "A server with the specified hostname could not be found." UserInfo={NSLocalizedDescription=A server with the specified hostname could not be found.}',
  ),
];
