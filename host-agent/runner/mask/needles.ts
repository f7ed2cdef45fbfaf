// From secrets to needles: which byte strings give a secret away.
import { base64Encodings, hexEncodings } from './byte-encodings.js';
import { CHAR_ENCODINGS, type CharEncoding } from './char-encodings.js';
import { stripEscapes } from './escape-sequence.js';
import type { NeedleSet } from './prefix-trie.js';
import { toSymbols } from './symbols.js';

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** The needles of some secrets, numbered. Their encoded texts are made when asked for, not kept. */
export interface SecretNeedles extends NeedleSet {
  /** Name of the secret that a needle belongs to. */
  nameOf(needle: number): string;
  /** Names of the secrets that have needles. */
  readonly masked: ReadonlySet<string>;
  /** Names of the secrets that have no needle: too short, or nothing but whitespace. */
  readonly unmasked: readonly string[];
}

/** Bytes from which a value is masked as it is. */
export const SHORTEST_VALUE = 3;
/** Bytes from which a line of a value of several lines is masked alone. */
export const SHORTEST_LINE = 6;
/** Bytes from which a value is masked in its encodings as well. */
export const SHORTEST_ENCODED = 8;

const SHORTEST_NEEDLE = 3;
const LINE_BREAK = /[\r\n]/;
// Tab, LF, VT, FF, CR and space, as in symbols.ts: `trim` and `\s` would take more.
const EDGES = /^[\t-\r ]+|[\t-\r ]+$/g;

/** Needles that one secret has of one kind. */
interface Group {
  readonly count: number;
  prefix(index: number, limit: number): Uint8Array;
}

/**
 * A value is masked
 * - as it is, from 3 bytes; without its escape sequences, when it holds any;
 * - line by line, where it has several: every line from 6 bytes, without the whitespace around it;
 * - from 8 bytes, in the encodings of char-encodings.ts and byte-encodings.ts.
 *
 * Whitespace at the ends of a value does not belong to its needles (a pasted newline is rarely printed), unless the
 * rest is too short without it. A value with CR LF is encoded with LF as well.
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
    for (const group of groupsOf(secret.value)) {
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
    const visible = Buffer.from(stripEscapes(Buffer.from(raw))).toString();
    groups.push(plain(visible), plain(joinLines(visible)), lines(visible));
  }
  if (byteLength(value) >= SHORTEST_ENCODED) {
    const text = byteLength(trimmed) < SHORTEST_ENCODED ? value : trimmed;
    groups.push(...encoded(text));
    if (text.includes('\r')) groups.push(...encoded(text.replace(/\r\n?/g, '\n')));
  }
  return groups;
}

const byteLength = (text: string): number => Buffer.byteLength(text);

/** As the view without line breaks sees it: neither breaks nor the indentation after them. */
const joinLines = (text: string): string => text.replace(/[\r\n][\t-\r ]*/g, '');

function plain(text: string): Group {
  const symbols = toSymbols(Buffer.from(text));
  return { count: 1, prefix: (_, limit) => symbols.subarray(0, limit) };
}

/** The lines of a value of several lines. There may be thousands: only their bounds are kept. */
function lines(text: string): Group {
  const bytes = Buffer.from(LINE_BREAK.test(text) ? text : '');
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
    prefix: (index, limit) =>
      toSymbols(bytes.subarray(packed[index * 2]!, packed[index * 2 + 1]!)).subarray(0, limit),
  };
}

function encoded(text: string): Group[] {
  const bytes = Buffer.from(text);
  const joined = joinLines(text);
  const groups: Group[] = [...base64Encodings(bytes), ...hexEncodings(bytes)].map((encoding) => ({
    count: 1,
    prefix: (_, limit) => encoding(limit),
  }));
  for (const encoding of distinctEncodings(text)) {
    groups.push(written(text, encoding));
    if (joined !== text && encoding('\n') === '\n') groups.push(written(joined, encoding));
  }
  return groups;
}

/** The character encodings that change the text, each of those that write it alike once. */
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
        const symbols = toSymbols(Buffer.from(part.map(encoding).join('')));
        if (symbols.length >= limit || length >= text.length) return symbols.subarray(0, limit);
      }
    },
  };
}

const splitsPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00;
};
