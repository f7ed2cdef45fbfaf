// Korean for sentences of the service and its hosts that have no code: by their English text.
import type { Language } from '../../../shared/language.js';

/** A pattern covers the whole text; its groups are passed on. */
export type TextRow = readonly [pattern: RegExp, korean: (...found: readonly string[]) => string];

/** Null: no row is for this text. */
export function koreanByText(rows: readonly TextRow[], text: string): string | null {
  for (const [pattern, korean] of rows) {
    const found = pattern.exec(text);
    if (found) return korean(...found.slice(1).map((group) => group ?? ''));
  }
  return null;
}

/** Returns the text as it is in English, and where no row is for it. */
export const byText = (rows: readonly TextRow[], text: string, language: Language): string =>
  language === 'ko' ? (koreanByText(rows, text) ?? text) : text;
