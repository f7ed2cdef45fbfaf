// Sanitizes text from builds, so that it can safely be shown in one line.
import { withoutEscapes } from './escape-stripper.js';

// Control and format characters (BiDi, zero width, tags), lone surrogates, private use, unassigned; and invisible
// letters and marks (fillers, variation selectors), which can also hide text.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Removes terminal escape sequences and control, BiDi and invisible characters, collapses white space into single
 * spaces and truncates to `max` UTF-16 units with an ellipsis.
 *
 * @example cleanText('\x1b[31merror:\x1b[0m no\tsuch\nfile', 600) // 'error: no such file'
 */
export function cleanText(text: string, max: number): string {
  return cutTo(visible(text).replace(/\s+/g, ' ').trim(), max);
}

/**
 * Returns one line of output without escape sequences and control, BiDi and invisible characters, with its
 * indentation, truncated to `max` UTF-16 units.
 *
 * @example cleanLine('\x1b[31m\terror\x1b[0m', 600) // { text: ' error', cut: false }
 */
export function cleanLine(text: string, max: number): { text: string; cut: boolean } {
  const clean = visible(text)
    .replace(/[\u2028\u2029]/g, ' ')
    .trimEnd();
  return { text: cutTo(clean, max), cut: clean.length > max };
}

const visible = (text: string): string =>
  withoutEscapes(text)
    .replace(/[\t-\r]/g, ' ')
    .replace(INVISIBLE, '');

function cutTo(text: string, max: number): string {
  if (text.length <= max) return text;
  // Do not split a surrogate pair.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
