// What people read about a failed request, of the catalog of errors. In English the API's message says what happened; here
// is what to do next. In Korean both. A code that this console does not know shows the API's message.
import type { Language } from '../../../shared/language.js';
import { errorCatalog, isErrorCode } from '../../platform/domain/error-catalog.js';

interface ErrorWords {
  /** In Korean; null: the API's message. */
  readonly what: string | null;
  readonly next: string | null;
  /** The API's message has a value or a limit that `what` does not repeat. */
  readonly detail: boolean;
}

const hasDetail = (code: string) => code.startsWith('invalid_') || code.endsWith('_limit');

/** Returns null for an unknown code. */
export function wordsOfError(code: string, language: Language): ErrorWords | null {
  if (!isErrorCode(code)) return null;
  const { en, ko } = errorCatalog[code];
  if (language === 'en') return { what: null, next: en, detail: false };
  return { what: ko[0], next: ko[1], detail: hasDetail(code) };
}
