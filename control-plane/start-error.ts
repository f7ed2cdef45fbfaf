// Startup errors that a restart does not fix.

/** Exit code after a StartError or a ConfigError (EX_CONFIG): supervisors should not restart the process. */
export const EXIT_CANNOT_START = 78;

/** The message is one sentence for the operator who starts the service. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
