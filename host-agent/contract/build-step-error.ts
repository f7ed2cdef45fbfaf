import { isErrno } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { type Message, uncoded } from '../../shared/messages/message.js';
import type { BuildStep } from '../../shared/protocol/index.js';

/** The build cannot run. Step, reason and message become its failure; the message is shown to the user. */
export class BuildStepError extends Error {
  readonly step: BuildStep;
  readonly reasonCode: string;
  readonly fault: 'customer' | 'platform' | 'unknown';
  readonly said: Message;
  constructor(
    step: BuildStep,
    reasonCode: string,
    fault: 'customer' | 'platform' | 'unknown',
    message: Message | string,
    options?: ErrorOptions,
  ) {
    const said = typeof message === 'string' ? uncoded(message) : message;
    super(said.text, options);
    this.said = said;
    this.name = 'BuildStepError';
    this.step = step;
    this.reasonCode = reasonCode;
    this.fault = fault;
  }
}

/** Returns the error as a BuildStepError; an unknown error counts as an error of the host. */
export function asStepError(error: unknown, step: BuildStep): BuildStepError {
  if (error instanceof BuildStepError) return error;
  if (isErrno(error, 'ENOSPC', 'EDQUOT')) {
    const full = hostFailure('host_disk_full');
    return new BuildStepError('platform', 'host_disk_full', 'platform', full, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const failed = hostFailure('host_could_not_run', { reason });
  return new BuildStepError(step, 'internal_error', 'platform', failed, { cause: error });
}
