import type { Language } from '../../../shared/language.js';
import type { Params } from '../../../shared/messages/message.js';
import { type NoticeMessage, type NoticeText, noticeIn } from '../../../shared/messages/notice.js';
import { int, json, type RecordOf, text } from '../../platform/domain/fields.js';

/** A notice of an older version: its sentences by language. */
type StoredSentences = Readonly<Record<string, NoticeText>>;

/** Names the sentences of an older version `subject_en`, `text_en` and so on. */
const readParams = (stored: unknown): Params =>
  Object.fromEntries(
    Object.entries(stored as Params | StoredSentences).flatMap(([name, value]) =>
      typeof value === 'object' ? Object.entries(value).map(([of, said]) => [`${of}_${name}`, said]) : [[name, value]],
    ),
  );

/** A message to the people of an account, shown in the console and sent by mail. */
export const noticeFields = {
  noticeId: text(),
  /** Machine-readable, e.g. `key_leaked`. */
  kind: text(),
  /** What it says, with `params`: `shared/messages/organization-notices.ts`. */
  code: text(),
  params: json(readParams),
  createdAt: int(),
};
export type Notice = RecordOf<typeof noticeFields>;

/** Returns the subject and the text in the language, or in English if they are known in no other. */
export const textIn = (language: Language, notice: NoticeMessage): NoticeText =>
  noticeIn(language, notice) ?? noticeIn('en', notice) ?? unknownText(notice);

/** What can be shown of a notice of a newer version. */
const unknownText = ({ code, params }: NoticeMessage): NoticeText => ({
  subject: code,
  text: Object.entries(params)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
});
