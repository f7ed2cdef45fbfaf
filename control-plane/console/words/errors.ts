// What people read about a failed request, of the catalog of errors. In English the API's message says what happened; here
// is what to do next. In Korean both. A code that this console does not know shows the API's message.
import type { Language } from '../../../shared/language.js';
import { hostRefusals } from '../../../shared/messages/host-refusals.js';
import { say } from '../../../shared/messages/message.js';
import { errorCatalog, isErrorCode } from '../../platform/domain/error-catalog.js';
import type { RefusalFailure } from '../data/failure.js';

interface ErrorWords {
  /** In Korean; null: the API's message. */
  readonly what: string | null;
  readonly next: string | null;
}

/** Returns null for an unknown code. */
export function wordsOfError(code: string, language: Language): ErrorWords | null {
  if (!isErrorCode(code)) return null;
  const { en, ko } = errorCatalog[code];
  return language === 'en' ? { what: null, next: en } : { what: ko[0], next: ko[1] };
}

/** Returns why a change is refused, of each that cannot change; null if nothing says so. */
export function refusalText(refusals: readonly RefusalFailure[], language: Language): string | null {
  if (refusals.length === 0) return null;
  return refusals
    .map((refusal) => {
      const text = say(hostRefusals, language, refusal);
      return refusal.subject === null ? text : `${refusal.subject}: ${text}`;
    })
    .join(' ');
}
