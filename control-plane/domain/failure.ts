// How a build ended, seen from what its host reports; and what a person can do about a failure.
import type { BuildResult, BuildStep, StopReason } from '../../shared/build.js';
import type { BuildEvent, BuildFailure, EndReason, FailureFault } from './build.js';
import { cleanText } from './clean-text.js';

const reason = (fault: FailureFault, suggestion: string) => ({ fault, suggestion });
const REBUILD = 'Nothing is wrong with your code here: send the same build again.';

/** Every reason code: who has to act, and how. */
export const failureReasons = {
  compile_error: reason('customer', 'Fix the compile error at the location shown, then build again.'),
  link_error: reason('customer', 'Check the linked libraries, frameworks and target architectures.'),
  test_failure: reason('customer', 'Fix the failing test, or the code that it tests.'),
  test_crash: reason(
    'customer',
    'The test process crashed; look for a trap or fatal error above in the log.',
  ),
  script_failed: reason(
    'customer',
    'Look at the last lines of the log: the script ended with an error there.',
  ),
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
  package_resolution_failed: reason(
    'customer',
    'Check the package versions and that their repositories can be read.',
  ),
  cocoapods_failed: reason('customer', 'Run pod install locally and commit Podfile and Podfile.lock.'),
  scheme_or_destination_not_found: reason('customer', 'List schemes and destinations with xcodebuild -list.'),
  timeout: reason('customer', 'Raise timeout_min (at most 360), or make the build shorter.'),
  disk_full: reason(
    'customer',
    'The build filled the disk: remove what it need not keep, or build with clean_tree.',
  ),
  clone_failed: reason('customer', 'Check the address; a private repository needs the secret GIT_TOKEN.'),
  commit_not_found: reason('customer', 'Push the commit, branch or tag first, or correct its name.'),
  host_lost: reason('platform', REBUILD),
  mac_lost: reason('platform', REBUILD),
  workspace_failed: reason('platform', REBUILD),
  xcode_missing: reason(
    'platform',
    'The Xcode version is missing on the Mac; choose another one or try later.',
  ),
  host_disk_full: reason('platform', REBUILD),
  source_unavailable: reason('platform', REBUILD),
  log_lost: reason('platform', REBUILD),
  internal_error: reason('platform', REBUILD),
  killed: reason(
    'unknown',
    'The process was killed, often for want of memory: build with fewer parallel jobs.',
  ),
  compiler_crash: reason('unknown', 'The compiler crashed; build again, then try another Xcode version.'),
  network_error: reason('unknown', 'Another server could not be reached; build again in a while.'),
} as const satisfies Record<string, { fault: FailureFault; suggestion: string }>;
export type ReasonCode = keyof typeof failureReasons;

const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(failureReasons, text);

/** Longest summary, in UTF-16 units. */
const SUMMARY_CHARS = 600;
/** How many of the log's last lines explain a failure of which nothing better is known. */
const EXCERPT_LINES = 20;

export interface Ending {
  readonly event: Extract<BuildEvent, 'succeed' | 'fail' | 'cancel'>;
  readonly endReason: EndReason;
  readonly exitCode: number | null;
  readonly failure: BuildFailure | null;
}

/** A failure with the table's fault and suggestion; `logLines` is the length of the log. */
export function failureOf(
  code: ReasonCode,
  what: { step: BuildStep; summary: string; logLines: number; fault?: FailureFault | null },
): BuildFailure {
  const { fault, suggestion } = failureReasons[code];
  return {
    fault: what.fault ?? fault,
    step: what.step,
    summary: cleanText(what.summary, SUMMARY_CHARS),
    reasonCode: code,
    suggestion,
    logExcerptLines:
      what.logLines > 0 ? [Math.max(1, what.logLines - EXCERPT_LINES + 1), what.logLines] : null,
    location: null,
  };
}

/** How an attempt ended that its host reports. */
export function endingOf(result: BuildResult, context: { timeoutMin: number; logLines: number }): Ending {
  const exitCode = result.exit_code;
  if (result.outcome === 'stopped' && result.stop_reason !== null) {
    return stoppedEnding(result.stop_reason, exitCode, context);
  }
  if (result.outcome === 'exited' && exitCode === 0) {
    return { event: 'succeed', endReason: 'succeeded', exitCode, failure: null };
  }
  const code = reasonCodeOf(result);
  const fault = result.fault ?? failureReasons[code].fault;
  const exited = result.outcome === 'exited';
  return {
    event: 'fail',
    endReason: exited || fault === 'customer' ? 'exit_nonzero' : 'platform_error',
    exitCode,
    failure: failureOf(code, {
      step: result.step,
      fault,
      logLines: context.logLines,
      summary: result.summary ?? defaultSummary(result),
    }),
  };
}

/** How an attempt ends that was stopped, also when its host never confirms it. */
export function stoppedEnding(
  stop: StopReason,
  exitCode: number | null,
  context: { timeoutMin: number; logLines: number },
): Ending {
  switch (stop) {
    case 'cancelled_by_user':
    case 'rental_ended':
      return { event: 'cancel', endReason: stop, exitCode, failure: null };
    case 'timeout': {
      const summary = `The build was still running after ${context.timeoutMin} minutes and was stopped.`;
      const failure = failureOf('timeout', { step: 'script', summary, logLines: context.logLines });
      return { event: 'fail', endReason: 'timeout', exitCode, failure };
    }
    case 'superseded': {
      const summary = 'The host stopped the build although it was to go on.';
      return platformEnding('internal_error', summary, context.logLines, exitCode);
    }
  }
}

/** An end that is nobody's fault but the service's. */
export function platformEnding(
  code: ReasonCode,
  summary: string,
  logLines: number,
  exitCode: number | null = null,
): Ending {
  const failure = failureOf(code, { step: 'platform', summary, logLines });
  return { event: 'fail', endReason: 'platform_error', exitCode, failure };
}

/**
 * The end of an attempt whose log never became whole: a success stays one, a failure cannot be explained any
 * more, so that the advice is to build again.
 */
export function withLogLost(ending: Ending, logLines: number): Ending {
  if (ending.event !== 'fail' || ending.failure?.fault === 'platform') return ending;
  const summary = `${ending.failure?.summary ?? ''} The end of its log was lost.`;
  return { ...ending, failure: failureOf('log_lost', { step: 'platform', summary, logLines }) };
}

function reasonCodeOf(result: BuildResult): ReasonCode {
  const { reason_code: code, exit_code: exitCode } = result;
  if (code !== null && isReasonCode(code)) return code;
  if (result.outcome !== 'exited') return result.fault === 'customer' ? 'script_failed' : 'internal_error';
  if (exitCode === 127) return 'command_not_found';
  if (exitCode === 126) return 'not_executable';
  return exitCode === 137 ? 'killed' : 'script_failed';
}

function defaultSummary(result: BuildResult): string {
  if (result.exit_code === null) return `The build failed in the step ${result.step}.`;
  const signal = result.exit_code > 128 ? ` (signal ${result.exit_code - 128})` : '';
  return `The script ended with exit code ${result.exit_code}${signal}.`;
}
