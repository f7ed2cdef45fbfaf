// Derives from a host's report how a build ended, and what to do about a failure.
import type { BuildResult, BuildStep, StopReason } from '../../../shared/build.js';
import { adviceOf } from '../../../shared/messages/failure-advice.js';
import { failureCause } from '../../../shared/messages/failure-causes.js';
import { type Message, uncoded } from '../../../shared/messages/message.js';
import type { BuildEvent, BuildFailure, EndReason, FailureFault } from './build.js';
import { type LogFinding, said } from './failure-finding.js';
import {
  failureReasons,
  isOfExitCode,
  isReasonCode,
  type ReasonCode,
  reasonOfExitCode,
  sourceUnreachable,
} from './failure-reasons.js';

/** Last lines of the log shown for a failure without a better explanation. */
const EXCERPT_LINES = 20;

/** Highest signal number of macOS; exit codes above 128 plus this are not signals. */
const LAST_SIGNAL = 31;

export interface Ending {
  readonly event: Extract<BuildEvent, 'succeed' | 'fail' | 'cancel'>;
  readonly endReason: EndReason;
  readonly exitCode: number | null;
  readonly failure: BuildFailure | null;
}

/** Returns a failure with the fault and suggestion of its reason; `logLines` is the length of the log in lines. */
export function failureOf(
  code: ReasonCode,
  what: { step: BuildStep; summary: Message; logLines: number; fault?: FailureFault | null },
): BuildFailure {
  const { fault } = failureReasons[code];
  const atSource = code === 'network_error' && what.step === 'source';
  const suggestion = atSource ? sourceUnreachable : failureReasons[code].suggestion;
  return {
    fault: what.fault ?? fault,
    step: what.step,
    ...said(what.summary, adviceOf(suggestion)),
    reasonCode: code,
    logExcerptLines: what.logLines > 0 ? [Math.max(1, what.logLines - EXCERPT_LINES + 1), what.logLines] : null,
    location: null,
  };
}

/** Returns whether the cause of the failure has to be found in the log, because the host knows only the exit code. */
export function isForLog({ outcome, exit_code: exitCode, reason_code: code }: BuildResult): boolean {
  if (outcome !== 'exited' || exitCode === 0) return false;
  return code === null || code === 'script_failed' || (isReasonCode(code) && isOfExitCode(code));
}

export interface EndingContext {
  readonly timeoutMin: number;
  /** Length of the stored log. */
  readonly logLines: number;
  /** The match of the failure table in the log of an attempt that `isForLog`. */
  readonly finding?: LogFinding | null;
}

/** Returns the ending of an attempt from its host's report. Only a build that succeeded has the exit code 0. */
export function endingOf(result: BuildResult, context: EndingContext): Ending {
  const ending = reportedEnding(result, context);
  return ending.event === 'succeed' || ending.exitCode !== 0 ? ending : { ...ending, exitCode: null };
}

function reportedEnding(result: BuildResult, context: EndingContext): Ending {
  const exitCode = result.exit_code;
  if (result.outcome === 'stopped' && result.stop_reason !== null) {
    return stoppedEnding(result.stop_reason, exitCode, { ...context, step: result.step });
  }
  if (result.outcome === 'exited' && exitCode === 0) {
    return { event: 'succeed', endReason: 'succeeded', exitCode, failure: null };
  }
  if (context.finding && isForLog(result)) {
    const { finding } = context;
    const { fault } = failureReasons[finding.reasonCode];
    const failure = { ...finding, fault, step: result.step };
    return { event: 'fail', endReason: 'exit_nonzero', exitCode, failure };
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
      summary: summaryOf(result),
    }),
  };
}

/** Returns the ending of a stopped attempt, also if its host never confirms it and the step is unknown. */
export function stoppedEnding(
  stop: StopReason,
  exitCode: number | null,
  context: { timeoutMin: number; logLines: number; step?: BuildStep },
): Ending {
  switch (stop) {
    case 'cancelled_by_user':
    case 'rental_ended':
      return { event: 'cancel', endReason: stop, exitCode, failure: null };
    case 'timeout': {
      const summary = failureCause('still_running', { minutes: context.timeoutMin });
      const failure = failureOf('timeout', {
        step: context.step ?? 'script',
        summary,
        logLines: context.logLines,
      });
      return { event: 'fail', endReason: 'timeout', exitCode, failure };
    }
    case 'superseded': {
      const summary = failureCause('stopped_unasked');
      return platformEnding('internal_error', summary, context.logLines, exitCode);
    }
  }
}

/** Returns an ending that is the platform's fault. */
export function platformEnding(
  code: ReasonCode,
  summary: Message,
  logLines: number,
  exitCode: number | null = null,
): Ending {
  const failure = failureOf(code, { step: 'platform', summary, logLines });
  return { event: 'fail', endReason: 'platform_error', exitCode, failure };
}

/**
 * Returns the ending of an attempt whose log stayed incomplete: a success stays one; a failure can no longer be
 * explained, so the advice is to build again.
 */
export function withLogLost(ending: Ending, logLines: number): Ending {
  if (ending.event !== 'fail' || ending.failure?.fault === 'platform') return ending;
  const summary = failureCause('log_end_lost', { summary: ending.failure?.summary ?? '' });
  return { ...ending, failure: failureOf('log_lost', { step: 'platform', summary, logLines }) };
}

function reasonCodeOf(result: BuildResult): ReasonCode {
  const { reason_code: code, exit_code: exitCode } = result;
  if (code !== null && isReasonCode(code)) return code;
  if (result.outcome !== 'exited') return result.fault === 'customer' ? 'script_failed' : 'internal_error';
  return reasonOfExitCode(exitCode) ?? 'script_failed';
}

/** What the host says; hosts of older versions say it as text only, and those of some failures nothing. */
const summaryOf = (result: BuildResult): Message =>
  result.summary_message ?? (result.summary === null ? defaultSummary(result) : uncoded(result.summary));

function defaultSummary({ exit_code: code, step }: BuildResult): Message {
  if (code === null) return failureCause('failed_in_step', { step });
  const signal = code - 128;
  return signal > 0 && signal <= LAST_SIGNAL
    ? failureCause('exit_code_of_signal', { code, signal })
    : failureCause('exit_code', { code });
}
