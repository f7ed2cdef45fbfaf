import type { NoticeWords } from '../../control-plane/access/domain/notice.js';

/** A notice with the same texts in every language. */
export const sameWords = (subject: string, text: string): NoticeWords => ({
  en: { subject, text },
  ko: { subject, text },
});
