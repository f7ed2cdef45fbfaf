// All reason codes of a failed build, with the fault and the suggestion.
import type { FailureFault } from './build.js';

/** @param elsewhere the suggestion without a location, if it differs */
const reason = (fault: FailureFault, suggestion: string, elsewhere = suggestion) => ({
  fault,
  suggestion,
  elsewhere,
});
const REBUILD = 'Your code is not the cause: send the same build again.';

export const failureReasons = {
  compile_error: reason(
    'customer',
    'Fix the compile error at the location shown, then build again.',
    'Fix the compile error that the log shows, then build again.',
  ),
  link_error: reason('customer', 'Check the linked libraries, frameworks and target architectures.'),
  test_failure: reason('customer', 'Fix the failing test, or the code that it tests.'),
  test_crash: reason(
    'customer',
    'The test process crashed; look for a trap or fatal error above in the log.',
  ),
  script_failed: reason('customer', 'Read the last lines of the log: the script ended with an error there.'),
  command_not_found: reason('customer', 'Install the command in the script, or correct its name or PATH.'),
  not_executable: reason(
    'customer',
    'Make the file executable (chmod +x) or run it through its interpreter.',
  ),
  xcodebuild_failed: reason(
    'customer',
    'Look for the first "error:" in the log; xcodebuild failed after it.',
  ),
  signing_error: reason(
    'customer',
    'Check team, certificate and provisioning profile, or build without signing.',
  ),
  store_rejected: reason(
    'customer',
    'Correct the problem that App Store Connect or the notary service reports, increase the build number, and upload again.',
  ),
  package_resolution_failed: reason(
    'customer',
    'Check the package versions and that their repositories can be read.',
  ),
  cocoapods_failed: reason('customer', 'Run pod install locally and commit Podfile and Podfile.lock.'),
  scheme_or_destination_not_found: reason('customer', 'List schemes and destinations with xcodebuild -list.'),
  timeout: reason('customer', 'Increase timeout_min, or make the build shorter.'),
  disk_full: reason(
    'customer',
    'The build filled the disk: remove what it need not keep, or build with clean_tree.',
  ),
  clone_failed: reason('customer', 'Check the address; a private repository needs the secret GIT_TOKEN.'),
  commit_not_found: reason('customer', 'Push the commit, branch or tag first, or correct its name.'),
  environment_too_large: reason(
    'customer',
    'Remove unneeded secrets, or put large values into files of the upload: an environment is limited to about 1 MiB.',
  ),
  host_lost: reason('platform', REBUILD),
  mac_lost: reason('platform', REBUILD),
  workspace_failed: reason('platform', REBUILD),
  xcode_missing: reason(
    'platform',
    'The Xcode version is missing on the Mac; choose another one or try later.',
  ),
  host_disk_full: reason('platform', REBUILD),
  source_unavailable: reason('platform', REBUILD),
  secret_unreadable: reason(
    'platform',
    'Set the named secrets again or remove them, then send the same build again.',
  ),
  build_folder_changed: reason(
    'platform',
    'Change the script: it removed or changed files of the host agent, and would fail again.',
  ),
  log_lost: reason('platform', REBUILD),
  internal_error: reason('platform', REBUILD),
  killed: reason(
    'unknown',
    'The process was killed, often for lack of memory: build with fewer parallel jobs.',
  ),
  compiler_crash: reason('unknown', 'The compiler crashed; build again, then try another Xcode version.'),
  network_error: reason('unknown', 'Another server could not be reached; build again later.'),
} as const satisfies Record<string, { fault: FailureFault; suggestion: string; elsewhere: string }>;
/** Suggestion for a network_error of the fetch of the source, before any script ran. */
export const sourceUnreachable =
  'The code host did not answer the build host: build again later, or send the source as an upload (upload_id).';
export type ReasonCode = keyof typeof failureReasons;

export const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(failureReasons, text);

/** Exit codes with a known meaning. */
const OF_EXIT_CODES: ReadonlyMap<number | null, ReasonCode> = new Map([
  [126, 'not_executable'],
  [127, 'command_not_found'],
  [137, 'killed'],
]);

/** Returns the meaning of an exit code; undefined for a generic failure. */
export const reasonOfExitCode = (exitCode: number | null): ReasonCode | undefined =>
  OF_EXIT_CODES.get(exitCode);

const MEANT: ReadonlySet<ReasonCode> = new Set(OF_EXIT_CODES.values());
export const isOfExitCode = (code: ReasonCode): boolean => MEANT.has(code);
