// All reason codes of a failed build, with the fault and the suggestion.
import type { AdviceCode } from '../../../shared/messages/failure-advice.js';
import type { failureReasonNames } from '../../../shared/messages/failure-reason-names.js';
import type { FailureFault } from './build.js';

interface Reason {
  readonly fault: FailureFault;
  readonly suggestion: AdviceCode;
  readonly elsewhere: AdviceCode;
}

/** @param elsewhere the suggestion without a location, if it differs */
const reason = (fault: FailureFault, suggestion: AdviceCode, elsewhere = suggestion) => ({
  fault,
  suggestion,
  elsewhere,
});
const REBUILD = 'build_again';

export const failureReasons = {
  compile_error: reason('customer', 'fix_compile_error_here', 'fix_compile_error'),
  link_error: reason('customer', 'check_linking'),
  test_failure: reason('customer', 'fix_test'),
  test_crash: reason('customer', 'find_trap'),
  script_failed: reason('customer', 'read_end_of_log'),
  command_not_found: reason('customer', 'install_command'),
  not_executable: reason('customer', 'make_executable'),
  xcodebuild_failed: reason('customer', 'find_first_error'),
  signing_error: reason('customer', 'check_signing'),
  store_rejected: reason('customer', 'correct_store_problem'),
  package_resolution_failed: reason('customer', 'check_packages'),
  cocoapods_failed: reason('customer', 'commit_podfile_lock'),
  scheme_or_destination_not_found: reason('customer', 'list_schemes'),
  timeout: reason('customer', 'raise_timeout'),
  disk_full: reason('customer', 'free_disk'),
  clone_failed: reason('customer', 'check_address'),
  commit_not_found: reason('customer', 'push_commit'),
  environment_too_large: reason('customer', 'reduce_environment'),
  host_lost: reason('platform', REBUILD),
  mac_lost: reason('platform', REBUILD),
  workspace_failed: reason('platform', REBUILD),
  xcode_missing: reason('platform', 'choose_xcode'),
  host_disk_full: reason('platform', REBUILD),
  source_unavailable: reason('platform', REBUILD),
  secret_unreadable: reason('platform', 'set_secrets_again'),
  build_folder_changed: reason('platform', 'keep_host_files'),
  log_lost: reason('platform', REBUILD),
  internal_error: reason('platform', REBUILD),
  killed: reason('unknown', 'fewer_jobs'),
  compiler_crash: reason('unknown', 'compiler_crashed'),
  network_error: reason('unknown', 'try_network_later'),
} as const satisfies Record<keyof typeof failureReasonNames, Reason>;
/** Suggestion for a network_error of the fetch of the source, before any script ran. */
export const sourceUnreachable = 'upload_source';
export type ReasonCode = keyof typeof failureReasons;

export const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(failureReasons, text);

/** Exit codes with a known meaning. */
const OF_EXIT_CODES: ReadonlyMap<number | null, ReasonCode> = new Map([
  [126, 'not_executable'],
  [127, 'command_not_found'],
  [137, 'killed'],
]);

/** Returns the meaning of an exit code; undefined for a generic failure. */
export const reasonOfExitCode = (exitCode: number | null): ReasonCode | undefined => OF_EXIT_CODES.get(exitCode);

const MEANT: ReadonlySet<ReasonCode> = new Set(OF_EXIT_CODES.values());
export const isOfExitCode = (code: ReasonCode): boolean => MEANT.has(code);
