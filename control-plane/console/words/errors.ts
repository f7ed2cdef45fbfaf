// What people read about a failed request, of the catalog of errors. In English the API's message says what happened; here
// is what to do next. In Korean both. A code that this console does not know shows the API's message.
import type { Language } from '../../../shared/language.js';
import { errorCatalog, isErrorCode } from '../../platform/domain/error-catalog.js';

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
