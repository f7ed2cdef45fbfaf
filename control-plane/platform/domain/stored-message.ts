// Messages for people in JSON columns. Rows of older versions have their English text only.
import { type Message, uncoded } from '../../../shared/messages/message.js';
import { json } from './fields.js';

export const storedMessage = () => json<Message>();

/** Returns the message of a text that an older version stored. */
export const messageOf = (stored: Message | string): Message => (typeof stored === 'string' ? uncoded(stored) : stored);

/** A list of messages; those that older versions stored are strings. */
export const storedMessages = () =>
  json<readonly Message[]>((value) => {
    if (!Array.isArray(value)) throw new Error('a column that should hold a list of messages holds something else');
    return value.map(messageOf);
  });

/** The error of a row with both columns; rows of older versions have the text only. */
export const storedError = (row: {
  readonly error: string | null;
  readonly errorMessage: Message | null;
}): Message | null => row.errorMessage ?? (row.error === null ? null : uncoded(row.error));
