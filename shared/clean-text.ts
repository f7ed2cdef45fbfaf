// Sanitizes text that somebody else wrote, so that it can safely be shown to a person, a terminal or a model.
import { withoutEscapes } from './escape-stripper.js';

// Control and format characters (BiDi, zero width, tags), lone surrogates, private use, unassigned; and invisible
// letters and marks (fillers, variation selectors), which can also hide text.
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
/** The same and line separators, for JSON, in which only line feeds end a line. */
const HIDING = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same for one character, without controls. */
const INVISIBLE_CHARACTER = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
/** White space that moves the cursor, or that some programs treat as a line end. */
const MOVING = /(?!\n)[\t-\r\u2028\u2029]/g;

/**
 * Returns the text without terminal escape sequences and control, BiDi and invisible characters. Tabs and line ends
 * become spaces; with `keep` line feeds stay.
 *
 * @example visibleText('\x1b[31merror:\x1b[0m\tno\n') // 'error: no '
 */
export function visibleText(text: string, keep: '' | '\n' = ''): string {
  const bare = withoutEscapes(text).replace(MOVING, ' ').replace(INVISIBLE, '');
  return keep === '\n' ? bare : bare.replaceAll('\n', ' ');
}

/** Returns whether a character, by its code point, has no width or is removed from visible text. */
export const isInvisible = (character: number): boolean =>
  (character >= 0x80 && character <= 0x9f) ||
  (character <= 0x10ffff && INVISIBLE_CHARACTER.test(String.fromCodePoint(character)));

/**
 * Returns the visible text in one line, with white space collapsed into single spaces, truncated to `max` UTF-16 units
 * with an ellipsis.
 *
 * @example cleanText('\x1b[31merror:\x1b[0m no\tsuch\nfile', 600) // 'error: no such file'
 */
export function cleanText(text: string, max: number): string {
  return cutTo(visibleText(text).replace(/\s+/g, ' ').trim(), max);
}

/**
 * Returns one line of output as visible text, with its indentation, truncated to `max` UTF-16 units.
 *
 * @example cleanLine('\x1b[31m\terror\x1b[0m', 600) // { text: ' error', cut: false }
 */
export function cleanLine(text: string, max: number): { text: string; cut: boolean } {
  const clean = visibleText(text).trimEnd();
  return { text: cutTo(clean, max), cut: clean.length > max };
}

/** Truncates to `max` UTF-16 units with an ellipsis, without splitting a surrogate pair. */
export function cutTo(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Returns JSON for a terminal: characters that control it or hide text are escaped, so that the value stays the same.
 *
 * @example printedJson({ name: 'a\u202eb' }) // '{"name":"a\\u202eb"}'
 */
export const printedJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(HIDING, (character) =>
    [...Array(character.length).keys()].map((at) => escaped(character.charCodeAt(at))).join(''),
  );

const escaped = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
