// Why a job failed, for its page.
import type { Job } from '../../../../client/types.js';
import type { Language } from '../../../../shared/language.js';
import { jobFailures } from '../../../../shared/messages/job-failures.js';
import { sentenceOf } from '../../../../shared/messages/message.js';

export interface JobFailureText {
  readonly text: string;
  /** The words of the host below it, in English; null: the text has them. */
  readonly quote: string | null;
}

/** Returns null for a job that has not failed. */
export function jobFailureText(
  { error, message }: Pick<Job, 'error' | 'message'>,
  language: Language,
): JobFailureText | null {
  const inLanguage = (of: Language) => sentenceOf(jobFailures, of, { code: error, params: {} });
  const [said, english] = [inLanguage(language), inLanguage('en')];
  if (message !== null && (language === 'en' || said === null)) return { text: message, quote: null };
  if (said === null) return null;
  return { text: said, quote: message === english ? null : message };
}
