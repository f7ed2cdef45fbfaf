// Text that came from a build, made safe to show in one line anywhere.
import { withoutEscapes } from '../../../shared/escape-stripper.js';

// Controls, formats (BiDi, zero width, tags), lone surrogates, private use, unassigned; and what has a place among
// letters or marks but is not drawn (fillers, variation selectors), in which text can be hidden as well.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Removes terminal escape sequences and control, BiDi and invisible characters, turns white space into single
 * spaces and cuts to `max` UTF-16 units, with an ellipsis at the cut.
 *
 * @example cleanText('\x1b[31merror:\x1b[0m no\tsuch\nfile', 600) // 'error: no such file'
 */
export function cleanText(text: string, max: number): string {
  return cutTo(visible(text).replace(/\s+/g, ' ').trim(), max);
}

/**
 * One line of output as it is shown: without escape sequences and control, BiDi and invisible characters, its
 * indentation kept, cut to `max` UTF-16 units.
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
  // Not between the halves of a surrogate pair.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
