// Errors with a message for people.
import { type Message, uncoded } from './message.js';

/** @example throw new SaidError(upgradeError('another_upgrade', { pid: 7 })) */
export class SaidError extends Error {
  readonly said: Message;
  constructor(message: Message | string, options?: ErrorOptions) {
    const said = typeof message === 'string' ? uncoded(message) : message;
    super(said.text, options);
    this.said = said;
  }
}

/** Returns the message of an error; of any other thrown value, its text. */
export function saidBy(error: unknown): Message {
  if (error instanceof SaidError) return error.said;
  return uncoded(error instanceof Error ? error.message : String(error));
}
