// A notice to the people of an organization as a code with values, and its subject and text in a language.
import type { Language } from '../language.js';
import { type Message, type ParamsOf, sentenceOf } from './message.js';
import { organizationNotices } from './organization-notices.js';

type Notices = typeof organizationNotices;

/** The codes that have a text, too. */
export type NoticeCode = {
  [C in keyof Notices]: `${C}_text` extends keyof Notices ? C : never;
}[keyof Notices];

type NoticeParams<C extends NoticeCode> = ParamsOf<Notices[C]> & ParamsOf<Notices[`${C}_text`]>;

export type NoticeMessage = Pick<Message, 'params'> & { readonly code: string };

export interface NoticeText {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** @example organizationNotice('member_removed', { email: 'bob@example.com', by: 'ada@example.com' }) */
export const organizationNotice = <C extends NoticeCode>(code: C, params: NoticeParams<C>): NoticeMessage => ({
  code,
  params,
});

/** A notice of a version that kept its sentences: `subject_en`, `text_en` and so on. */
export const STORED_NOTICE = 'stored';

/** Returns null if this version does not know the code, the values do not fit, or a stored notice lacks the language. */
export function noticeIn(language: Language, { code, params }: NoticeMessage): NoticeText | null {
  if (code === STORED_NOTICE) return storedIn(language, params);
  const subject = sentenceOf(organizationNotices, language, { code, params });
  const text = sentenceOf(organizationNotices, language, { code: `${code}_text`, params });
  return subject === null || text === null ? null : { subject, text };
}

function storedIn(language: Language, params: Message['params']): NoticeText | null {
  const { [`subject_${language}`]: subject, [`text_${language}`]: text } = params;
  return typeof subject === 'string' && typeof text === 'string' ? { subject, text } : null;
}
