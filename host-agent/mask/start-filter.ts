// The fast path: skips the bytes at which no needle can begin, looking at the first three symbols of the needles.
import { measureSequence } from './escape-sequence.js';
import type { PrefixTrie } from './prefix-trie.js';
import { GAP, isLineBreak, isSpace, symbolOf } from './symbols.js';

export interface StartFilter {
  /**
   * The first position from `from` on at which a needle may begin in any reading, or at which an escape sequence stands
   * that must be read byte by byte; `end` when there is none. What lies beyond `end` counts as possible.
   */
  skip(bytes: Uint8Array, from: number, end: number): number;
}

/** Symbols from the start of a needle that the filter looks at. */
export const LOOK_AHEAD = 3;
// Bounds what is looked at over and over where much whitespace or many escape sequences stand together.
const LONGEST_LOOK = 1024;

const ESC = 0x1b;
const EVERY_BYTE = Array.from({ length: 256 }, (_, byte) => byte);
const SPACES = EVERY_BYTE.filter(isSpace);
/** Bytes that a needle may go on after in some reading, whatever its next symbol is. */
const INTERRUPTERS = [ESC, ...EVERY_BYTE.filter(isLineBreak)];

// Entry `a << 8 | b` of the table of pairs: a needle may begin with a and b, or have them second and third.
const FIRST = 1;
const SECOND = 2;

export function createStartFilter(trie: PrefixTrie): StartFilter {
  const pairs = pairTable(trie);

  const beginsAt = (bytes: Uint8Array, at: number, end: number): boolean => {
    if (at + 1 < end && (pairs[(bytes[at]! << 8) | bytes[at + 1]!]! & FIRST) === 0) return false;
    return mayBegin(trie, bytes, at, end);
  };

  /** The first start in bytes without ESC, or `to`. Only every other pair is looked up: a start has two in a row. */
  const skipText = (bytes: Uint8Array, from: number, to: number, end: number): number => {
    const last = to - 5;
    let at = from + 1;
    for (; at <= last; at += 4) {
      const here = pairs[(bytes[at]! << 8) | bytes[at + 1]!]!;
      const there = pairs[(bytes[at + 2]! << 8) | bytes[at + 3]!]!;
      if ((here | there) === 0) continue;
      for (let start = at - 1; start < at + 3; start++) if (beginsAt(bytes, start, end)) return start;
    }
    for (let start = at - 1; start < to; start++) if (beginsAt(bytes, start, end)) return start;
    return to;
  };

  return {
    skip(bytes, from, end) {
      let at = from;
      while (at < end) {
        const found = bytes.indexOf(ESC, at);
        const sequence = found === -1 || found > end ? end : found;
        const start = skipText(bytes, at, sequence, end);
        if (start < sequence || sequence === end) return start;
        const after = sequence + measureSequence(bytes, sequence, end);
        if (after === sequence) return sequence;
        for (let inside = sequence; inside < after; inside++)
          if (beginsAt(bytes, inside, end)) return sequence;
        at = after;
      }
      return end;
    },
  };
}

function pairTable(trie: PrefixTrie): Uint8Array {
  const pairs = new Uint8Array(1 << 16);
  const bytesOf = (symbol: number): number[] => (symbol === GAP ? SPACES : [symbol]);
  const add = (first: number, second: number, flag: number): void => {
    for (const a of bytesOf(first)) for (const b of bytesOf(second)) pairs[(a << 8) | b]! |= flag;
  };
  /** What may stand after a state that is reached by `symbol`: any of its children, and what only some reading sees. */
  const addFollowers = (state: number, symbol: number, flag: number): number[] => {
    const ends = trie.firstEnding(state) !== -1;
    const children = EVERY_BYTE.filter((next) => trie.child(state, next) !== 0);
    for (const next of ends ? EVERY_BYTE : [...children, ...INTERRUPTERS]) add(symbol, next, flag);
    if (symbol === GAP) add(GAP, GAP, flag);
    return children;
  };
  for (const first of EVERY_BYTE) {
    const state = trie.child(0, first);
    if (state === 0) continue;
    for (const second of addFollowers(state, first, FIRST))
      addFollowers(trie.child(state, second), second, SECOND);
    if (trie.firstEnding(state) !== -1) return pairs.fill(FIRST | SECOND);
  }
  for (const first of INTERRUPTERS) for (const second of EVERY_BYTE) add(first, second, SECOND);
  return pairs;
}

/** Whether a needle may begin at a position, in one reading or another. */
function mayBegin(trie: PrefixTrie, bytes: Uint8Array, at: number, end: number): boolean {
  if (followsNeedle(trie, bytes, at, end, false, false)) return true;
  // Without whitespace or ESC right after it, all readings are the same for as long as the filter looks.
  const plain = at + 2 < end && bytes[at + 1]! > GAP && bytes[at + 2]! > GAP;
  if (plain) return false;
  return followsNeedle(trie, bytes, at, end, true, false) || followsNeedle(trie, bytes, at, end, true, true);
}

function followsNeedle(
  trie: PrefixTrie,
  bytes: Uint8Array,
  from: number,
  end: number,
  visible: boolean,
  joined: boolean,
): boolean {
  const stop = Math.min(end, from + LONGEST_LOOK);
  let state = 0;
  let spaced = false;
  let broken = false;
  let depth = 0;
  for (let at = from; depth < LOOK_AHEAD; at++) {
    if (at >= stop) return true;
    const byte = bytes[at]!;
    if (visible && byte === ESC && depth > 0) {
      const length = measureSequence(bytes, at, stop);
      if (length === 0) return true;
      at += length - 1;
      continue;
    }
    const symbol = symbolOf(byte);
    broken = joined && depth > 0 && (isLineBreak(byte) || (broken && symbol === GAP));
    if (broken || (symbol === GAP && spaced)) continue;
    spaced = symbol === GAP;
    state = trie.child(state, symbol);
    if (state === 0) return false;
    if (trie.firstEnding(state) !== -1) return true;
    depth += 1;
  }
  return true;
}
