// Decides the outcome of an attempt, in the terms of the API.
import { constants } from 'node:os';
import { failureCause } from '../../shared/messages/failure-causes.js';
import type { Message } from '../../shared/messages/message.js';
import type { BuildResult, BuildStep, StopReason } from '../../shared/protocol/index.js';
import { asStepError } from '../contract/build-step-error.js';
import type { ScriptEnd } from '../driver/build-mac.js';
import type { HaltCause } from './halt.js';

export type Outcome = Pick<BuildResult, 'outcome' | 'exit_code' | 'stop_reason' | 'step' | 'reason_code' | 'fault'> & {
  readonly summary: Message | null;
};

/**
 * Decides in this order: what stopped the build before its script had exited; what made it impossible to continue;
 * the script's exit. Explaining a failure from the log is up to the control plane.
 *
 * @param options.step the last step that was started
 * @param options.problem the error of a step
 */
export function outcomeOf(options: {
  step: BuildStep;
  cause: HaltCause | null;
  problem: unknown;
  end: ScriptEnd | null;
  timeoutMs: number;
}): Outcome {
  const { step, cause, problem, end } = options;
  const code = end?.exitCode ?? null;
  // A script that was stopped may exit with 0, from its trap of SIGTERM: that is no success.
  const ended = code === 0 ? null : code;
  if (typeof cause === 'string') {
    const failure = cause === 'timeout' ? timeoutFailure(options.timeoutMs) : NO_FAILURE;
    return { outcome: 'stopped', exit_code: ended, stop_reason: cause, step, ...failure };
  }
  const failed = cause ?? problem;
  if (failed) {
    const error = asStepError(failed, step);
    return {
      outcome: 'failed',
      exit_code: ended,
      stop_reason: null,
      step: error.step,
      reason_code: error.reasonCode,
      fault: error.fault,
      summary: error.said,
    };
  }
  const failure = code === 0 ? NO_FAILURE : exitFailure(code ?? 1);
  return { outcome: 'exited', exit_code: code, stop_reason: null, step: 'script', ...failure };
}

type Failure = Pick<Outcome, 'reason_code' | 'fault' | 'summary'>;

const NO_FAILURE: Failure = { reason_code: null, fault: null, summary: null };

function timeoutFailure(timeoutMs: number): Failure {
  return {
    reason_code: 'timeout',
    fault: 'customer',
    summary: failureCause('ran_too_long', { seconds: timeoutMs / 1000 }),
  };
}

function exitFailure(code: number): Failure {
  const customer = (reason_code: string, summary: Message): Failure => ({
    reason_code,
    fault: 'customer',
    summary,
  });
  if (code === 126) {
    return customer('not_executable', failureCause('script_not_executable', { code }));
  }
  if (code === 127) return customer('command_not_found', failureCause('script_command_not_found', { code }));
  if (code === 128 + constants.signals.SIGKILL) {
    return {
      reason_code: 'killed',
      fault: 'unknown',
      summary: failureCause('killed'),
    };
  }
  const signal = Object.entries(constants.signals).find(([, number]) => 128 + number === code)?.[0];
  return signal
    ? customer('script_failed', failureCause('ended_by_signal', { code, signal }))
    : customer('script_failed', failureCause('exit_code_read_log', { code }));
}

const STOPPED: Record<StopReason, string> = {
  cancelled_by_user: 'cancelled',
  timeout: 'the time limit of this build is over',
  rental_ended: 'the rental of this Mac has ended',
  superseded: 'this attempt was replaced by another',
};

/** Returns the last service line of the log, or null when the script's output is enough. */
export function closingLine(outcome: Outcome): string | null {
  if (outcome.stop_reason) return `stopped: ${STOPPED[outcome.stop_reason]}`;
  return outcome.summary?.text ?? null;
}
