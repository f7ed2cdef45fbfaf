import { int, type RecordOf, text } from '../../platform/domain/fields.js';

/** Something that an account's people should know, shown in the console and sent by mail. */
export const noticeFields = {
  noticeId: text(),
  /** A word for programs, e.g. `key_leaked`. */
  kind: text(),
  /** One line. */
  subject: text(),
  text: text(),
  createdAt: int(),
};
export type Notice = RecordOf<typeof noticeFields>;
