import { isErrno } from '../../shared/errno.js';
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
    const message = 'The disk of the host is full. The build can be run again unchanged, later.';
    return new BuildStepError('platform', 'host_disk_full', 'platform', message, { cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The host could not run the build: ${reason}`;
  return new BuildStepError(step, 'internal_error', 'platform', message, { cause: error });
}
