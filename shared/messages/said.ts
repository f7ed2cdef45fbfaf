// Errors whose text is a message.
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

/** Returns what an error says; of other errors their text. */
export function saidBy(error: unknown): Message {
  if (error instanceof SaidError) return error.said;
  return uncoded(error instanceof Error ? error.message : String(error));
}
