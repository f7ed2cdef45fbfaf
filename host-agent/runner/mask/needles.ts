// Turns secrets into needles: the byte strings that reveal a secret.
import { isUtf8 } from 'node:buffer';
import { base64Encodings, hexEncodings } from './byte-encodings.js';
import { bytesOf, textOf } from './byte-text.js';
import { CHAR_ENCODINGS, type CharEncoding } from './char-encodings.js';
import { stripEscapes } from './escape-sequence.js';
import type { NeedleSet } from './needle-text.js';
import { toSymbols } from './symbols.js';

export interface Secret {
  readonly name: string;
  readonly value: string | Buffer;
}

/** The needles of secrets, by number. Their encoded texts are computed on demand, not kept. */
export interface SecretNeedles extends NeedleSet {
  /** Returns the name of the needle's secret. */
  nameOf(needle: number): string;
  /** Names of the secrets that have needles. */
  readonly masked: ReadonlySet<string>;
  /** Names of the secrets without a needle: too short, or only whitespace. */
  readonly unmasked: readonly string[];
}

/** Minimum bytes of a value that is masked. */
export const SHORTEST_VALUE = 3;
/** Minimum bytes of a line that is masked by itself. */
export const SHORTEST_LINE = 6;
/** Minimum bytes of a value that is masked in its encodings. */
export const SHORTEST_ENCODED = 8;

const SHORTEST_NEEDLE = 3;
const LINE_BREAK = /[\r\n]/;
// Tab, LF, VT, FF, CR and space, as in symbols.ts: `trim` and `\s` would take more.
const EDGES = /^[\t-\r ]+|[\t-\r ]+$/g;

/** The needles of one kind of one secret. */
interface Group {
  readonly count: number;
  prefix(index: number, limit: number): Uint8Array;
}

/**
 * Returns the needles of all secrets. A value is masked
 * - as it is, from 3 bytes, and without its escape sequences, if it has any;
 * - line by line, if it has several: every line from 6 bytes, without surrounding whitespace;
 * - from 8 bytes, in the encodings of char-encodings.ts and byte-encodings.ts;
 * - if it is not UTF-8, also as programs print it that read it as UTF-8 or Latin-1.
 *
 * Leading and trailing whitespace of a value is not part of its needles (a pasted newline is rarely printed), unless
 * the rest is too short without it. A value with CR LF is encoded with LF as well.
 *
 * @example secretNeedles([{ name: 'TOKEN', value: 'ab' }]).unmasked // ['TOKEN']
 */
export function secretNeedles(secrets: readonly Secret[]): SecretNeedles {
  const owners: number[] = [];
  const groups: Group[] = [];
  const firsts: number[] = [];
  const masked = new Set<string>();
  const unmasked: string[] = [];
  let count = 0;

  for (const [owner, secret] of secrets.entries()) {
    const before = count;
    for (const group of groupsOf(textOf(Buffer.from(secret.value)))) {
      if (group.count === 0 || group.prefix(0, SHORTEST_NEEDLE).length < SHORTEST_NEEDLE) continue;
      owners.push(owner);
      groups.push(group);
      firsts.push(count);
      count += group.count;
    }
    if (count === before) unmasked.push(secret.name);
    else masked.add(secret.name);
  }

  const groupOf = (needle: number): number => {
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firsts[middle]! <= needle) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  return {
    count,
    masked,
    unmasked,
    nameOf: (needle) => secrets[owners[groupOf(needle)]!]!.name,
    prefix(needle, limit) {
      const group = groupOf(needle);
      return groups[group]!.prefix(needle - firsts[group]!, limit);
    },
  };
}

function groupsOf(value: string): Group[] {
  const trimmed = value.replace(EDGES, '');
  if (trimmed === '' || byteLength(value) < SHORTEST_VALUE) return [];
  const raw = byteLength(trimmed) < SHORTEST_VALUE ? value : trimmed;
  const groups = [plain(raw), plain(joinLines(raw)), lines(raw)];
  if (raw.includes('\x1b')) {
    const visible = textOf(Buffer.from(stripEscapes(bytesOf(raw))));
    groups.push(plain(visible), plain(joinLines(visible)), lines(visible));
  }
  if (byteLength(value) >= SHORTEST_ENCODED) {
    const text = byteLength(trimmed) < SHORTEST_ENCODED ? value : trimmed;
    groups.push(...encoded(text));
    if (text.includes('\r')) groups.push(...encoded(text.replace(/\r\n?/g, '\n')));
    for (const misread of misreadings(bytesOf(text))) groups.push(plain(misread), ...writtenForms(misread));
  }
  return groups;
}

const byteLength = (text: string): number => bytesOf(text).length;

/** What programs make of bytes that are not UTF-8 when they read them as text. */
const misreadings = (bytes: Buffer): string[] =>
  isUtf8(bytes) ? [] : [bytes.toString('utf8'), bytes.toString('latin1')];

/** Removes line breaks and the indentation after them, as the joined view does. */
const joinLines = (text: string): string => text.replace(/[\r\n][\t-\r ]*/g, '');

function plain(text: string): Group {
  const symbols = toSymbols(bytesOf(text));
  return { count: 1, prefix: (_, limit) => symbols.subarray(0, limit) };
}

/** Returns the lines of a multi-line value. There may be thousands, so only their bounds are kept. */
function lines(text: string): Group {
  const bytes = bytesOf(LINE_BREAK.test(text) ? text : '');
  const bounds: number[] = [];
  for (let from = 0; from < bytes.length; ) {
    let to = from;
    while (to < bytes.length && bytes[to] !== 0x0a && bytes[to] !== 0x0d) to += 1;
    const line = bytes.subarray(from, to).toString('latin1');
    const length = line.replace(EDGES, '').length;
    const start = from + line.search(/[^\t-\r ]/);
    if (length >= SHORTEST_LINE) bounds.push(start, start + length);
    from = to + 1;
  }
  const packed = Int32Array.from(bounds);
  return {
    count: packed.length / 2,
    prefix: (index, limit) => toSymbols(bytes.subarray(packed[index * 2]!, packed[index * 2 + 1]!)).subarray(0, limit),
  };
}

function encoded(text: string): Group[] {
  const bytes = bytesOf(text);
  const groups: Group[] = [...base64Encodings(bytes), ...hexEncodings(bytes)].map((encoding) => ({
    count: 1,
    prefix: (_, limit) => encoding(limit),
  }));
  return [...groups, ...writtenForms(text)];
}

function writtenForms(text: string): Group[] {
  const joined = joinLines(text);
  const groups: Group[] = [];
  for (const encoding of distinctEncodings(text)) {
    groups.push(written(text, encoding));
    if (joined !== text && encoding('\n') === '\n') groups.push(written(joined, encoding));
  }
  return groups;
}

/** Returns the encodings that change the text; of those with equal results, one. */
function distinctEncodings(text: string): CharEncoding[] {
  const alphabet = [...new Set(text)];
  const seen = new Set([alphabet.join('\0')]);
  return CHAR_ENCODINGS.filter((encoding) => {
    const image = alphabet.map(encoding).join('\0');
    return seen.size < seen.add(image).size;
  });
}

function written(text: string, encoding: CharEncoding): Group {
  return {
    count: 1,
    prefix(_, limit) {
      for (let length = limit; ; length *= 2) {
        const part = [...text.slice(0, splitsPair(text, length) ? length + 1 : length)];
        const symbols = toSymbols(bytesOf(part.map(encoding).join('')));
        if (symbols.length >= limit || length >= text.length) return symbols.subarray(0, limit);
      }
    },
  };
}

const splitsPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00;
};
