// Why a job failed, for its page.
import type { Job } from '../../../../client/types.js';
import type { Language } from '../../../../shared/language.js';
import { jobFailures } from '../../../../shared/messages/job-failures.js';
import { jobReasons } from '../../../../shared/messages/job-reasons.js';
import { say, sentenceOf } from '../../../../shared/messages/message.js';

export interface JobFailureText {
  readonly text: string;
  /** Why, below it, in the words of the host where it is known no other way; null: the text has it. */
  readonly quote: string | null;
}

/** Returns null for a job that has not failed. */
export function jobFailureText(
  { error, reason }: Pick<Job, 'error' | 'reason'>,
  language: Language,
): JobFailureText | null {
  const said = sentenceOf(jobFailures, language, { code: error, params: {} });
  const why = reason && say(jobReasons, language, reason);
  if (why !== null && (language === 'en' || said === null)) return { text: why, quote: null };
  if (said === null) return null;
  return { text: said, quote: why === said ? null : why };
}
