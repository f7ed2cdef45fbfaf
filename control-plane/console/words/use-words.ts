import { useLanguage } from './language.js';
import type { Same, Texts } from './words.js';

/**
 * Returns the texts in the person's language.
 *
 * @example const w = useWords(words); <PageHeader title={w.title} />
 */
export function useWords<const T extends Texts>(words: { readonly en: T; readonly ko: Same<T> }): Same<T> {
  return words[useLanguage()] as Same<T>;
}
