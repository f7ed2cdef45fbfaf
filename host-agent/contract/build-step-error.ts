import type { BuildStep } from '../../shared/protocol/index.js';
import { isErrno } from '../system/durable-file.js';

/** The build cannot run, for a reason that goes into its failure. `message` is shown to the person. */
export class BuildStepError extends Error {
  readonly step: BuildStep;
  readonly reasonCode: string;
  readonly fault: 'customer' | 'platform' | 'unknown';
  constructor(
    step: BuildStep,
    reasonCode: string,
    fault: 'customer' | 'platform' | 'unknown',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'BuildStepError';
    this.step = step;
    this.reasonCode = reasonCode;
    this.fault = fault;
  }
}

/** Anything that is not yet an error with a reason is the host's own. */
export function asStepError(error: unknown, step: BuildStep): BuildStepError {
  if (error instanceof BuildStepError) return error;
  if (isErrno(error, 'ENOSPC') || isErrno(error, 'EDQUOT')) {
    const message = 'The disk of the host is full. The build can be run again unchanged, later.';
    return new BuildStepError('platform', 'host_disk_full', 'platform', message, { cause: error });
  }
  const told = error instanceof Error ? error.message : String(error);
  const message = `The host could not run the build: ${told}`;
  return new BuildStepError(step, 'internal_error', 'platform', message, { cause: error });
}
