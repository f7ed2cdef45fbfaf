// The name of a Mac: which texts may be one, and when two are the same. For the service, the command line and the console.
import { fieldProblem } from './messages/field-problems.js';
import type { Message } from './messages/message.js';
import { foldPath } from './paths/fold-path.js';

/** In characters (code points). */
export const LONGEST_MAC_NAME = 40;

export type MacNameProblem = 'empty' | 'too_long' | 'characters' | 'like_an_id';

/** What is wrong, to be preceded by the name of the field. */
const SENTENCES: Readonly<Record<MacNameProblem, string>> = {
  empty: `must have 1 to ${LONGEST_MAC_NAME} characters (got none).`,
  too_long: `must have 1 to ${LONGEST_MAC_NAME} characters`,
  characters: 'must be one line of text without control characters, and without characters that change its direction.',
  like_an_id: 'must not begin like an id (rt_, rb_, op_ or RT-), because commands take names and ids.',
};

/** Control characters and those that nobody sees, except the two that join letters and emoji, and the tags of flags. */
const REFUSED = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/u;
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/gu;
const BLANK = /^[\p{Cf}\p{Variation_Selector}\p{Zs}\u2800\u3164\u115f\u1160\uffa0]*$/u;
const LIKE_AN_ID = /^(?:(?:rt|rb|op)_|RT-)/i;

/**
 * Returns the name as it is stored: composed (NFC), without space around it, and with single spaces in it. Or what is
 * wrong with it.
 *
 * @example readMacName('  Release  Mac ') // { name: 'Release Mac' }
 * @example readMacName('rt_1') // { problem: 'like_an_id' }
 */
export function readMacName(text: string): { readonly name: string } | { readonly problem: MacNameProblem } {
  const name = text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .replace(/^ | $/g, '');
  if (REFUSED.test(name)) return { problem: 'characters' };
  if (BLANK.test(name)) return { problem: 'empty' };
  if ([...name].length > LONGEST_MAC_NAME) return { problem: 'too_long' };
  // Invisible and full-width characters do not hide what it looks like.
  if (LIKE_AN_ID.test(name.normalize('NFKC').replace(INVISIBLE, ''))) return { problem: 'like_an_id' };
  return { name };
}

const PROBLEMS: Readonly<Record<MacNameProblem, Message>> = {
  empty: fieldProblem('required'),
  too_long: fieldProblem('too_long', { most: LONGEST_MAC_NAME }),
  characters: fieldProblem('control_characters'),
  like_an_id: fieldProblem('like_an_id'),
};

/** The same as a problem of a field. */
export const macNameProblem = (problem: MacNameProblem): Message => PROBLEMS[problem];

/** @example macNameSentence('too_long', name) // 'must have 1 to 40 characters (got 41).' */
export function macNameSentence(problem: MacNameProblem, text: string): string {
  const got = problem === 'too_long' ? ` (got ${[...text.trim()].length}).` : '';
  return `${SENTENCES[problem]}${got}`;
}

/** Returns what two names have in common that are the same to a person: without case, width and invisible characters. */
export function macNameKey(name: string): string {
  return foldPath(name.normalize('NFKC').replace(INVISIBLE, '')).replace(/\s+/g, ' ').trim();
}

/**
 * Returns what a Mac is called in a sentence: people say the name, and requests take the id. A Mac that ended before Macs had
 * names has its id as its name.
 *
 * @example macLabel({ name: 'Release', rentalId: 'rt_1' }) // 'Release (rt_1)'
 */
export const macLabel = ({ name, rentalId }: { readonly name: string; readonly rentalId: string }): string =>
  name === rentalId ? rentalId : `${name} (${rentalId})`;

/** The name of a Mac that was given none. */
export const numberedMacName = (number: number) => `Mac ${number}`;

/** Returns the first numbered name whose key is not among those taken. */
export function firstFreeMacName(isTaken: (key: string) => boolean): string {
  for (let number = 1; ; number++) {
    const name = numberedMacName(number);
    if (!isTaken(macNameKey(name))) return name;
  }
}
