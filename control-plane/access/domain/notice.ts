import { int, type RecordOf, text } from '../../platform/domain/fields.js';

/** A message to the people of an account, shown in the console and sent by mail. */
export const noticeFields = {
  noticeId: text(),
  /** Machine-readable, e.g. `key_leaked`. */
  kind: text(),
  /** One line. */
  subject: text(),
  text: text(),
  createdAt: int(),
};
export type Notice = RecordOf<typeof noticeFields>;
