// Sanitizes text that somebody else wrote, so that it can safely be shown to a person, a terminal or a model.
import { withoutEscapes } from './escape-stripper.js';

// Control and format characters (BiDi, zero width, tags), lone surrogates, private use, unassigned; and invisible
// letters and marks (fillers, variation selectors), which can also hide text.
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;
/** White space that moves the cursor, or that some programs take for a line end. */
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
