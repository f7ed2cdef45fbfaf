// xcodebuild: steps, last lines, schemes, destinations, projects.
import { type Item, WORK } from './item.js';

const step = (name: string, code: Item['code'], says = `The step ${name} failed.`): Item => ({
  lines: `Command ${name} failed with a nonzero exit code`,
  code,
  says,
});
const footer = (
  action: string,
  says = `xcodebuild failed (${action.toLowerCase()}) at: Touch build/App.app`,
): Item => ({
  lines: `** ${action} FAILED **\n\n\nThe following build commands failed:\n\tTouch ${WORK}/build/App.app (in target 'App' from project 'App')\n(1 failure)`,
  code: 'xcodebuild_failed',
  says: `${says} (in target 'App' from project 'App')`,
});

export const buildSystemItems: readonly Item[] = [
  step('SwiftCompile', 'compile_error'),
  step('CompileC', 'compile_error'),
  step('EmitSwiftModule', 'compile_error'),
  step('Ld', 'link_error'),
  step('PhaseScriptExecution', 'script_failed', 'A script phase of the Xcode project failed.'),
  step('CodeSign', 'signing_error'),
  step('CompileAssetCatalog', 'xcodebuild_failed'),
  step('CompileAssetCatalogVariant', 'xcodebuild_failed'),
  step('CompileStoryboard', 'xcodebuild_failed'),
  step('ProcessInfoPlistFile', 'xcodebuild_failed'),
  footer('BUILD'),
  footer('ARCHIVE'),
  footer('CLEAN'),
  footer('ANALYZE'),
  footer('EXPORT'),
  footer('TEST BUILD'),
  footer('TEST'),
  footer('TEST EXECUTE'),
  { lines: '** BUILD INTERRUPTED **', code: 'xcodebuild_failed', says: 'xcodebuild failed (build).' },
  {
    lines: `error: Multiple commands produce '${WORK}/build/App.app/Info.plist'\n    note: Target 'App' (project 'App') has copy command`,
    code: 'xcodebuild_failed',
    says: "Multiple commands produce 'build/App.app/Info.plist'",
  },
  {
    lines:
      'error: Cycle inside App; building could produce unreliable results. This usually can be resolved by moving the target.\nCycle details:\n→ Target App',
    code: 'xcodebuild_failed',
    says: 'Cycle inside App; building could produce unreliable results. This usually can be resolved by moving the target.',
  },
  {
    lines: `error: Sandbox: bash(4711) deny(1) file-read-data ${WORK}/App/config.json (in target 'App' from project 'App')`,
    code: 'xcodebuild_failed',
    says: "Sandbox: bash(4711) deny(1) file-read-data App/config.json (in target 'App' from project 'App')",
  },
  {
    lines:
      "error: The sandbox is not in sync with the Podfile.lock. Run 'pod install' or update your CocoaPods installation.",
    code: 'cocoapods_failed',
    says: "The sandbox is not in sync with the Podfile.lock. Run 'pod install' or update your CocoaPods installation.",
  },
  {
    lines: `${WORK}/App.xcodeproj: error: The target has no Info.plist file (in target 'App' from project 'App')`,
    code: 'xcodebuild_failed',
    says: "App.xcodeproj: The target has no Info.plist file (in target 'App' from project 'App')",
  },
  {
    lines: `${WORK}/App/Base.lproj/Main.storyboard: error: An internal error occurred. Editing functionality may be limited.`,
    code: 'xcodebuild_failed',
    says: 'App/Base.lproj/Main.storyboard: An internal error occurred. Editing functionality may be limited.',
  },
  {
    lines:
      'xcodebuild: error: Failed to build project App with scheme App.\n    Reason: This scheme builds an embedded Apple Watch app. watchOS 11.2 must be installed in order to run the scheme\n    Recovery suggestion: watchOS 11.2 is not installed. To use with Xcode, first download and install the platform',
    code: 'xcodebuild_failed',
    says: 'Failed to build project App with scheme App. This scheme builds an embedded Apple Watch app. watchOS 11.2 must be installed in order to run the scheme',
  },
  {
    lines: 'xcodebuild: error: The directory /Users/ci/work does not contain an Xcode project, workspace or package.',
    code: 'xcodebuild_failed',
    says: 'The directory . does not contain an Xcode project, workspace or package.',
    exitCode: 66,
  },
  {
    lines: 'xcodebuild: error: The workspace named "App" does not contain a scheme named "Apq".',
    code: 'scheme_or_destination_not_found',
    says: 'The workspace named "App" does not contain a scheme named "Apq".',
  },
  {
    lines: 'xcodebuild: error: Scheme App is not currently configured for the test action.',
    code: 'scheme_or_destination_not_found',
    says: 'Scheme App is not currently configured for the test action.',
    exitCode: 66,
  },
  {
    lines:
      'xcodebuild: error: Unable to find a device matching the provided destination specifier:\n\t\t{ platform:iOS Simulator, OS:99.0, name:iPhone 16 }\n\n\tThe requested device could not be found because no available devices matched the request.\n\n\tAvailable destinations for the "App" scheme:\n\t\t{ platform:macOS, arch:arm64 }',
    code: 'scheme_or_destination_not_found',
    says: 'Unable to find a device matching the provided destination specifier: { platform:iOS Simulator, OS:99.0, name:iPhone 16 }',
    exitCode: 70,
  },
  {
    lines: 'xcodebuild: error: Found no destinations for the scheme "App" and action build.',
    code: 'scheme_or_destination_not_found',
    says: 'Found no destinations for the scheme "App" and action build.',
    exitCode: 70,
  },
  {
    lines:
      'xcodebuild: error: Timed out waiting for all destinations matching the provided destination specifier to become available',
    code: 'scheme_or_destination_not_found',
    says: 'Timed out waiting for all destinations matching the provided destination specifier to become available',
    exitCode: 70,
  },
  {
    lines: "xcodebuild: error: 'App.xcworkspace' is not a workspace file.",
    code: 'xcodebuild_failed',
    says: "'App.xcworkspace' is not a workspace file.",
    exitCode: 66,
  },
  {
    lines: "xcodebuild: error: invalid option '-schem'",
    code: 'xcodebuild_failed',
    says: "invalid option '-schem'",
    exitCode: 64,
  },
  {
    lines: 'Unable to boot device because it cannot be located on disk.',
    code: 'scheme_or_destination_not_found',
    says: 'Unable to boot device because it cannot be located on disk.',
    exitCode: 148,
  },
  {
    lines:
      "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory '/Library/Developer/CommandLineTools' is a command line tools instance",
    code: 'xcode_missing',
    fault: 'platform',
    says: "tool 'xcodebuild' requires Xcode, but active developer directory '/Library/Developer/CommandLineTools' is a command line tools instance",
    exitCode: 1,
  },
  {
    lines:
      'You have not agreed to the Xcode license agreements. You must agree to both license agreements below in order to use Xcode.',
    code: 'xcode_missing',
    fault: 'platform',
    says: 'You have not agreed to the Xcode license agreements. You must agree to both license agreements below in order to use Xcode.',
    exitCode: 69,
  },
];
