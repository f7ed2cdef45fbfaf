// Text that came from a build, made safe to show in one line anywhere.

const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
// Controls, formats (BiDi, zero width, tags), lone surrogates, private use, unassigned; and what has a place among
// letters or marks but is not drawn (fillers, variation selectors), in which text can be hidden as well.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes terminal escape sequences, and nothing else. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPE_SEQUENCE, '');

/**
 * Removes terminal escape sequences and control, BiDi and invisible characters, turns white space into single
 * spaces and cuts to `max` UTF-16 units, with an ellipsis at the cut.
 *
 * @example cleanText('\x1b[31merror:\x1b[0m no\tsuch\nfile', 600) // 'error: no such file'
 */
export function cleanText(text: string, max: number): string {
  const clean = withoutEscapes(text)
    .replace(/[\t-\r]/g, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean.length <= max) return clean;
  // Not between the halves of a surrogate pair.
  return `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
