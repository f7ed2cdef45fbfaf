import type { Message } from '../../shared/messages/message.js';
import { SaidError } from '../../shared/messages/said.js';

/** This machine cannot be installed, or its job not be run, as asked; the message says why and what to do. */
export class InstallError extends SaidError {
  override name = 'InstallError';
  /** Exit code of the command; of sysexits.h. Default: 78, a wrong configuration. */
  readonly exitCode: number;

  constructor(message: Message | string, exitCode = 78, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Exit code for what a later run of the same command can do. */
export const TRY_LATER = 75;
