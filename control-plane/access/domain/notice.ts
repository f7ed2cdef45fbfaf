import type { Language } from '../../../shared/language.js';
import { int, json, type RecordOf, text } from '../../platform/domain/fields.js';

export interface NoticeText {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** The same notice in every language. */
export type NoticeWords = Readonly<Record<Language, NoticeText>>;

/** A message to the people of an account, shown in the console and sent by mail. */
export const noticeFields = {
  noticeId: text(),
  /** Machine-readable, e.g. `key_leaked`. */
  kind: text(),
  /** In English. */
  subject: text(),
  text: text(),
  /** In other languages; none in a notice of an older version. */
  translations: json<Readonly<Partial<NoticeWords>>>().initially({}),
  createdAt: int(),
};
export type Notice = RecordOf<typeof noticeFields>;

/** Returns the texts in the language, or in English when they are missing in it. */
export const textIn = (
  language: Language,
  { subject, text, translations }: Pick<Notice, 'subject' | 'text' | 'translations'>,
): NoticeText => translations[language] ?? { subject, text };
