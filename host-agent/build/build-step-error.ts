import type { BuildStep } from '../../shared/protocol/index.js';

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
