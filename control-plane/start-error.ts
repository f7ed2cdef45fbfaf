// Why the service cannot start, when starting it again changes nothing.

/** Exit code of a process that ended with a StartError or a ConfigError (EX_CONFIG): its supervisor leaves it alone. */
export const EXIT_CANNOT_START = 78;

/** Its message is one sentence for the person who starts the service. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
