// Swift packages, CocoaPods, gems, npm; git and the network.
import { type FailureRow, rank, withDetail } from '../failure-row.js';

const READ_ACCESS = 'check_address_and_credentials';

export const packageRows: readonly FailureRow[] = [
  {
    example: 'curl: (6) Could not resolve host: artifacts.example.com',
    words: ['curl: ('],
    pattern:
      /^(?<message>curl: \((?:5|6|7|18|28|35|52|55|56|92)\) .*|curl: \(22\) The requested URL returned error: (?:429|5\d\d)\b.*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example: "fatal: unable to access 'https://github.com/example/cart.git/': Could not resolve host: github.com",
    words: ['could not resolve', 'failed to connect', 'returned error', 'timed out', 'connection re'],
    pattern:
      /^\s*(?<message>(?:fatal: unable to access '[^']{1,1000}': |ssh: )(?:Could not resolve host|Failed to connect|Couldn['’]t connect|connect to host|Operation timed out|Connection timed out|Recv failure|The requested URL returned error: (?:429|5\d\d)|OpenSSL SSL_connect|LibreSSL SSL_connect|gnutls_handshake).*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example:
      "[!] CDN: trunk URL couldn't be downloaded: https://cdn.cocoapods.org/all_pods_versions_1_2_3.txt Response: 429 429: Too Many Requests",
    words: ['cdn: trunk'],
    pattern: /^\[!\] (?<message>CDN: trunk (?:URL couldn['’]t be downloaded|Repo update failed).*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example: 'npm error code ENOTFOUND',
    words: ['npm err'],
    pattern:
      /^npm (?:ERR!|error) (?<message>(?:code )?(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ECONNREFUSED|ERR_SOCKET_TIMEOUT|E5\d\d|E429|network )\b.*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example: 'error An unexpected error occurred: "https://registry.yarnpkg.com/cart: ETIMEDOUT".',
    words: ['unexpected error occurred'],
    pattern:
      /^error (?<message>An unexpected error occurred: .*(?:ESOCKETTIMEDOUT|ETIMEDOUT|ENOTFOUND|ECONNRESET|EAI_AGAIN|Request failed \\?"(?:5\d\d|429)\b).*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example: '➤ YN0035: │   Response Code: 503 (Service Unavailable)',
    words: ['yn0035'],
    pattern: /^➤ YN0035: │\s{1,8}(?<message>Response Code: (?:429|5\d\d)\b.*)/,
    reason: 'network_error',
    rank: rank.network,
    show: [4, 3],
  },
  {
    example: 'Error Domain=NSURLErrorDomain Code=-1009 "The Internet connection appears to be offline."',
    words: ['nsurlerrordomain', 'internet connection appears', 'getaddrinfo', 'econnrefused', 'etimedout'],
    pattern:
      /(?:^|[Ee]rror: ?|^.{0,200}\b)(?<message>Error Domain=NSURLErrorDomain Code=-(?:100[1-69]|1200).*|The Internet connection appears to be offline.*|getaddrinfo E\w{1,20}.*|connect E(?:CONNREFUSED|TIMEDOUT)\b.*)/,
    reason: 'network_error',
    rank: rank.network,
  },
  {
    example: "fatal: repository 'https://github.com/example/gone.git/' not found",
    words: ['fatal:', 'remote:', 'host key', 'permission denied ('],
    pattern:
      /^(?<message>fatal: (?:repository '[^']{1,1000}' (?:not found|does not exist)|Authentication failed for .*|could not read (?:Username|Password) for .*|Could not read from remote repository\.|unable to access '[^']{1,1000}': The requested URL returned error: 40[134].*)|remote: (?:Repository not found\.|Invalid username or .*|HTTP Basic: Access denied.*)|ERROR: Repository not found\.|Host key verification failed\.|(?:\S{1,200}: )?Permission denied \(publickey[^)]{0,100}\)\.?)/,
    reason: 'clone_failed',
    rank: rank.network,
    suggestion: READ_ACCESS,
  },
  {
    example: 'fatal: reference is not a tree: 3f2c1d0e9b8a7f6e5d4c3b2a190817263544f3e2',
    words: ['reference is not a tree', 'remote ref', 'pathspec', 'not our ref'],
    pattern:
      /^(?<message>fatal: (?:reference is not a tree: .*|couldn['’]t find remote ref .*|remote error: upload-pack: not our ref .*|Remote branch .{1,300} not found.*)|error: (?:pathspec '[^']{1,300}' did not match any file.*|Server does not allow request for unadvertised object.*))/,
    reason: 'commit_not_found',
    rank: rank.network,
  },
  {
    example: "error: Dependencies could not be resolved because root depends on 'cart' 2.0.0..<3.0.0.",
    words: ['could not be resolved'],
    pattern: /^\s*(?:\S{1,200}: )?(?:error: )?(?<message>Dependencies could not be resolved because .*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'relax_requirement',
    show: [1, 10],
  },
  {
    example: "error: 'cart': Invalid manifest (compiled with: swiftc)",
    words: ['invalid manifest', 'package.swift', 'package manifest', 'root manifest'],
    pattern:
      /(?:^|: )error: (?<message>'[^']{1,300}': [Ii]nvalid manifest.*|[Ii]nvalid manifest.*|[Cc]ould not find Package\.swift.*|root manifest not found.*|the package manifest at .*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'correct_package_swift',
    show: [1, 8],
  },
  {
    example: "error: package 'cart' is using Swift tools version 6.2.0 but the installed version is 6.0.0",
    words: ['swift tools version'],
    pattern:
      /^error: (?<message>(?:'[^']{1,300}': )?package '[^']{1,300}' (?:@ \S{1,60} )?is using Swift tools version .*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'newer_xcode_or_older_package',
  },
  {
    example:
      "error: checksum of downloaded artifact of binary target 'Pay' (1f2e) does not match checksum specified by the manifest (3d4c)",
    words: ['checksum', 'binary target'],
    pattern:
      /^(?:[^:]{0,300}: )?error: (?<message>(?:checksum of downloaded artifact .*|failed (?:downloading|extracting) .{1,600} binary target .*|artifact of binary target .{1,300} (?:has changed|does not).*))/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'check_binary_target',
  },
  {
    example: "error: the package at '/Users/ci/work/Packages/Cart' cannot be accessed (doesn't exist in file system)",
    words: ['cannot be accessed', 'required by package', 'check out revision', 'clone repository', 'resolved file'],
    pattern:
      /^\s*(?:\S{1,200}: )?(?:error: )?(?<message>the package at '[^']{1,1000}' cannot be accessed.*|product '[^']{1,300}' required by package .*|Couldn['’]t check out revision .*|Failed to clone repository .*|[Aa] resolved file is required when automatic dependency resolution is disabled.*|Package\.resolved file is corrupted.*)/,
    more: { pattern: /^\s+(?:error|fatal): (?<detail>\S.{0,300})/, within: 3 },
    reason: 'package_resolution_failed',
    rank: rank.packages,
    say: withDetail,
    show: [1, 8],
  },
  {
    example: '[!] CocoaPods could not find compatible versions for pod "Cart":\n  In Podfile:\n    Cart (~> 2.0)',
    words: ['could not find compatible versions'],
    pattern: /^\[!\] (?<message>CocoaPods could not find compatible versions for pod "[^"]{1,300}").*/,
    reason: 'cocoapods_failed',
    rank: rank.packages,
    suggestion: 'pod_repo_update',
    show: [1, 12],
  },
  {
    example: '[!] Invalid `Podfile` file: undefined method `pood` for main:Object.',
    words: ['[!] '],
    pattern:
      /^\[!\] (?<message>(?:Invalid `\S{1,200}` file: |Unable to find a (?:specification|target|host target)|Unable to satisfy the following requirements|Error installing |No `?Podfile|No podspec (?:found|exists)|Failed to download |Failed to load |Unable to add a source|The `?\S{1,200}`? (?:target|pod) has transitive dependencies|The platform of the target|Oh no, an error occurred|Couldn['’]t determine repo type|The following Swift pods cannot yet be integrated|The version of CocoaPods used).*)/,
    more: { pattern: /^\s+(?:fatal|error): (?<detail>\S.{0,300})/, within: 4 },
    reason: 'cocoapods_failed',
    rank: rank.packages,
    say: withDetail,
    show: [1, 8],
  },
  {
    example: "Could not find gem 'fastlane (~> 3.0)' in locally installed gems.",
    words: ['could not find'],
    pattern: /^(?<message>Could not find (?:gem '[^']{1,300}'|(?:\S{1,200}, ){0,20}\S{1,200}-\d[\w.]{0,40}) in .*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'bundle_install',
  },
  {
    example: 'Your Ruby version is 2.6.10, but your Gemfile specified ~> 3.2',
    words: ['your ruby version', "could not find 'bundler'"],
    pattern: /^(?<message>Your Ruby version is \S{1,40}, but your Gemfile specified .*|Could not find 'bundler' \(.*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'install_ruby',
  },
  {
    example: 'Unicode Normalization not appropriate for ASCII-8BIT (Encoding::CompatibilityError)',
    words: ['unicode normalization'],
    pattern: /(?<message>Unicode Normalization not appropriate for .*)/,
    reason: 'cocoapods_failed',
    rank: rank.packages,
    suggestion: 'set_lang',
  },
  {
    example: 'npm error code ERESOLVE',
    words: ['npm err'],
    pattern:
      /^npm (?:ERR!|error) (?<message>code (?:ERESOLVE|ETARGET|E40[0134]|EUSAGE|EINTEGRITY|ENOVERSIONS|EBADENGINE))\b/,
    more: { pattern: /^npm (?:ERR!|error) (?<detail>(?!code\b|A complete log)\S.{0,300})/, within: 2 },
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'commit_package_lock',
    say: withDetail,
    show: [1, 8],
  },
  {
    example: '➤ YN0028: │ The lockfile would have been modified by this install, which is explicitly forbidden.',
    words: ['yn0028', 'yn0035', 'yn0082'],
    pattern: /^➤ YN00(?:28|35|82): │ (?<message>\S.*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'commit_yarn_lock',
  },
  {
    example: 'error Couldn\'t find package "crat" on the "npm" registry.',
    words: ["couldn't find ", 'your lockfile needs'],
    pattern: /^error (?<message>Couldn't find (?:any versions for|package) .*|Your lockfile needs to be updated.*)/,
    reason: 'package_resolution_failed',
    rank: rank.packages,
    suggestion: 'commit_yarn_lock',
  },
];
