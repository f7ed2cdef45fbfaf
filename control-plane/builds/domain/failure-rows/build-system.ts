// xcodebuild itself: schemes, destinations, projects, build steps, its last lines.
import { failureCause } from '../../../../shared/messages/failure-causes.js';
import { type FailureRow, rank, withDetail } from '../failure-row.js';

const DESTINATION = 'list_destinations';

export const buildSystemRows: readonly FailureRow[] = [
  {
    example:
      'xcodebuild: error: The workspace named "App" does not contain a scheme named "Apq". The "-list" option can be used to find the names of the schemes in the workspace.',
    words: ['xcodebuild'],
    pattern:
      /^xcodebuild: error: (?<message>(?:The (?:workspace|project|package) named .{1,300} does not contain a scheme|Scheme .{1,300} is not currently configured|Unable to find a (?:destination|device)|Found no destinations|Timed out waiting for all destinations|Missing .{0,60}scheme|The flag -scheme|If you specify a workspace then you must also specify a scheme|The requested device could not be found|Unable to find a target named|Tests? .{0,60}cannot be run because|Failed to (?:build|test) .{1,300}: (?:Cannot test target|.{0,200}destination)).*)/,
    more: { pattern: /^\s+(?:Reason: )?(?<detail>\{ .{1,300}|(?<=Reason: ).{1,300})/, within: 2 },
    reason: 'scheme_or_destination_not_found',
    rank: rank.cause,
    suggestion: DESTINATION,
    say: withDetail,
    show: [1, 10],
  },
  {
    example:
      'xcodebuild: error: Could not resolve package dependencies:\n  Failed to clone repository https://github.com/example/cart.git:\n    fatal: could not read Username',
    words: ['could not resolve package'],
    pattern: /^(?:xcodebuild: )?error: (?<message>Could not resolve package dependencies:?.*)/,
    more: { pattern: /^\s+(?<detail>\S.{0,400})/, within: 1 },
    reason: 'package_resolution_failed',
    rank: rank.packages,
    say: withDetail,
    show: [2, 8],
  },
  {
    example:
      'xcodebuild: error: Failed to build project App with scheme App.\n    Reason: This scheme builds an embedded Apple Watch app.',
    words: ['xcodebuild'],
    pattern: /^xcodebuild: error: (?<message>\S.*)/,
    more: { pattern: /^\s+Reason: (?<detail>.{1,400})/, within: 3 },
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    say: withDetail,
    suggestion: 'correct_xcodebuild_call',
    show: [1, 8],
  },
  {
    example: 'error: iOS 18.2 is not installed. To use with Xcode, first download and install the platform',
    words: ['is not installed'],
    pattern:
      /(?:^|: |\berror:)\s?(?<message>(?:iOS|watchOS|tvOS|visionOS|macOS|iPadOS) [\d.]{1,12} is not installed\b.*)/,
    reason: 'scheme_or_destination_not_found',
    rank: rank.cause,
    suggestion: 'install_runtime',
  },
  {
    example: "error: Multiple commands produce '/Users/ci/work/build/App.app/Info.plist'",
    words: ['multiple commands produce'],
    pattern: /(?:^|: )error: (?<message>Multiple commands produce .*)/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    suggestion: 'file_made_twice',
  },
  {
    example:
      'error: Cycle inside App; building could produce unreliable results. This usually can be resolved by moving the target.',
    words: ['cycle'],
    pattern: /(?:^|: )error: (?<message>Cycle (?:inside|in dependencies|details).*)/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    suggestion: 'reorder_phases',
    show: [1, 8],
  },
  {
    example:
      "error: Sandbox: bash(4711) deny(1) file-read-data /Users/ci/work/App/config.json (in target 'App' from project 'App')",
    words: ['sandbox'],
    pattern: /(?:^|: )error: (?<message>Sandbox: \S{1,200} deny\(\d{1,3}\) .*)/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    suggestion: 'declare_script_files',
  },
  {
    example:
      "error: The sandbox is not in sync with the Podfile.lock. Run 'pod install' or update your CocoaPods installation.",
    words: ['not in sync with the podfile'],
    pattern: /(?:^|: )error: (?<message>The sandbox is not in sync with the Podfile\.lock.*)/,
    reason: 'cocoapods_failed',
    rank: rank.cause,
    suggestion: 'pod_install',
  },
  {
    example:
      "error: Build input files cannot be found: '/Users/ci/work/App/Info.plist'. Did you forget to declare this file as an output of any script phases?",
    words: ['build input file'],
    pattern: /(?:^|: )error: (?<message>Build input files? cannot be found: .*)/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    suggestion: 'add_missing_file',
  },
  {
    example:
      "/Users/ci/work/App.xcodeproj: error: Missing package product 'Alamofire' (in target 'App' from project 'App')",
    words: ['missing package product'],
    pattern: /(?:^|: )error: (?<message>Missing package product .*)/,
    reason: 'package_resolution_failed',
    rank: rank.cause,
    suggestion: 'resolve_packages_first',
  },
  {
    example:
      '/Users/ci/work/App/Assets.xcassets: error: The stickers icon set or app icon set named "AppIcon" did not have any applicable content.',
    words: ['error:'],
    pattern:
      /^(?<path>[^\s:][^:]{0,1023}\.(?:xcodeproj|xcworkspace|xcassets|xib|storyboard|plist|entitlements|xcconfig|strings|xcstrings|car|app|appex|framework)):(?: ?[\w-]{1,60}:)? error: (?<message>\S.*)/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    say: ({ path, message }) => `${path}: ${message}`,
  },
  {
    example:
      'error: Tests in the target “AppTests” can’t be run because “AppTests” isn’t a member of the specified test plan or scheme.',
    words: ['be run because'],
    pattern: /(?:^|: )error: (?<message>Tests? in the target .{1,300} can['’]t be run because .*)/,
    reason: 'scheme_or_destination_not_found',
    rank: rank.cause,
    suggestion: DESTINATION,
  },
  {
    example: 'Invalid device: iPhone 99',
    words: ['invalid device', 'unable to boot', 'failed to boot'],
    pattern:
      /^(?<message>Invalid device(?: or device pair)?: .*|(?:An error was encountered .{0,200}: )?Unable to boot (?:device|the Simulator)\b.*|Failed to boot .{0,60}simulator.*)/i,
    reason: 'scheme_or_destination_not_found',
    rank: rank.command,
    suggestion: DESTINATION,
  },
  {
    example: 'error: unexpected service error: The Xcode build system has crashed. Build again to continue.',
    words: ['unexpected service error'],
    pattern: /^error: (?<message>unexpected service error: .*)/,
    reason: 'xcodebuild_failed',
    rank: rank.command,
    suggestion: 'build_again_or_other_xcode',
  },
  {
    example:
      "error: Entitlements file \"App.entitlements\" was modified during the build, which is not supported. (in target 'App' from project 'App')",
    words: ['error:'],
    pattern: /^(?:[^:]{1,1024}: )?error: (?<message>\S.* \(in target '[^']{1,300}' from project '[^']{1,300}'\))$/,
    reason: 'xcodebuild_failed',
    rank: rank.cause,
    suggestion: 'correct_target',
  },
  {
    example: 'Command PhaseScriptExecution failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern: /^Command PhaseScriptExecution failed with a nonzero exit code/,
    reason: 'script_failed',
    rank: rank.symptom,
    suggestion: 'read_script_phase',
    say: () => failureCause('script_phase_failed'),
    show: [15, 1],
  },
  {
    example: 'Command CompileAssetCatalog failed with a nonzero exit code',
    words: ['nonzero exit code'],
    pattern: /^Command (?<step>\w{1,60}) failed with a nonzero exit code/,
    reason: 'xcodebuild_failed',
    rank: rank.symptom,
    say: ({ step = '' }) => failureCause('step_failed', { step }),
    show: [12, 1],
  },
  {
    example: 'Testing failed:\n\tThe operation couldn’t be completed.',
    words: ['testing failed'],
    pattern: /^Testing failed:\s*$/,
    more: { pattern: /^\s+(?<detail>\S.{0,400})/, within: 1 },
    reason: 'xcodebuild_failed',
    rank: rank.symptom,
    say: ({ detail }) =>
      detail === undefined ? failureCause('testing_failed') : failureCause('testing_failed_at', { detail }),
  },
  {
    example: '** ARCHIVE FAILED **',
    words: ['failed **', 'interrupted **'],
    pattern: /^\*\* (?<action>[A-Z][A-Z -]{2,40}) (?:FAILED|INTERRUPTED) \*\*/,
    more: { pattern: /^\t(?<detail>\S.{0,300})/, within: 3 },
    reason: 'xcodebuild_failed',
    rank: rank.footer,
    say: ({ action = '', detail }) =>
      detail === undefined
        ? failureCause('xcodebuild_failed', { action: action.toLowerCase() })
        : failureCause('xcodebuild_failed_at', { action: action.toLowerCase(), detail }),
    show: [12, 4],
  },
];
