// Why a change by an operator is refused, as errors carry it.
import type { Message } from '../../../shared/messages/message.js';

export interface Refusal extends Message {
  /** In a change of several: name and id of the one that cannot change. */
  readonly subject: string | null;
}
