// The fast path: skips bytes at which no needle can begin, by the first symbols of the needles.
import { measureSequence } from './escape-sequence.js';
import type { PrefixTrie } from './prefix-trie.js';
import { FIRST, hashOf, hashShift, SECOND, tableOfBeginnings, tableOfPairs } from './start-tables.js';
import { GAP, isLineBreak, symbolOf } from './symbols.js';

export interface StartFilter {
  /**
   * Returns the first position from `from` at which a needle may begin in any view, or at which an escape sequence
   * must be read byte by byte; `end` when there is none. Bytes beyond `end` count as possible matches.
   */
  skip(bytes: Uint8Array, from: number, end: number): number;
}

/** Number of leading symbols of a needle that the filter checks. */
export const LOOK_AHEAD = 8;
// Limits repeated checks where much whitespace or many escape sequences stand together.
const LONGEST_LOOK = 1024;

const ESC = 0x1b;

export function createStartFilter(trie: PrefixTrie): StartFilter {
  const pairs = tableOfPairs(trie);
  const beginnings = tableOfBeginnings(trie);
  const shift = hashShift(beginnings);
  const fours = createFours();

  const beginsAt = (bytes: Uint8Array, at: number, end: number): boolean => {
    if (at + 3 < end) {
      const first = bytes[at]!;
      const second = bytes[at + 1]!;
      if ((pairs[(second << 8) | first]! & FIRST) === 0) return false;
      const third = bytes[at + 2]!;
      const fourth = bytes[at + 3]!;
      // Without whitespace or ESC, every view begins with these four bytes.
      const plain = first > GAP && second > GAP && third > GAP && fourth > GAP;
      if (plain && beginnings[hashOf(first, second, third, fourth) >>> shift] === 0) return false;
    }
    return mayBegin(trie, bytes, at, end);
  };

  /**
   * Returns the first possible start in bytes without ESC, or `to`. Only every other pair is looked up, because a
   * start has two consecutive ones.
   */
  const skipText = (bytes: Uint8Array, from: number, to: number, end: number): number => {
    const { words, skipped } = fours(bytes);
    const last = Math.min(to - 5, skipped + 4 * words.length - 4);
    let at = from + 1 + ((skipped - from - 1) & 3);
    const unaligned = Math.min(at - 1, to);
    for (let start = from; start < unaligned; start++) if (beginsAt(bytes, start, end)) return start;
    for (; at <= last; at += 4) {
      const four = words[(at - skipped) >> 2]!;
      const here = pairs[four & 0xffff]!;
      const there = pairs[four >>> 16]!;
      if ((here | there) === 0) continue;
      if ((here & SECOND) !== 0 && beginsAt(bytes, at - 1, end)) return at - 1;
      if ((here & FIRST) !== 0 && beginsAt(bytes, at, end)) return at;
      if ((there & SECOND) !== 0 && beginsAt(bytes, at + 1, end)) return at + 1;
      if ((there & FIRST) !== 0 && beginsAt(bytes, at + 2, end)) return at + 2;
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

/** Reads bytes four at a time, from the first aligned address. The last bytes asked for are cached. */
function createFours(): (bytes: Uint8Array) => { words: Uint32Array; skipped: number } {
  let known: Uint8Array | null = null;
  let words: Uint32Array = new Uint32Array(0);
  let skipped = 0;
  return (bytes) => {
    if (bytes !== known) {
      known = bytes;
      skipped = -bytes.byteOffset & 3;
      const count = (bytes.length - skipped) >> 2;
      // Little-endian, as on every supported processor.
      words =
        count > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + skipped, count) : new Uint32Array(0);
    }
    return { words, skipped };
  };
}

/** Returns whether a needle may begin at a position in any view. */
function mayBegin(trie: PrefixTrie, bytes: Uint8Array, at: number, end: number): boolean {
  const raw = follow(trie, bytes, at, end, false, false);
  if (raw !== INTERRUPTED) return raw === POSSIBLE;
  return (
    follow(trie, bytes, at, end, true, false) === POSSIBLE ||
    follow(trie, bytes, at, end, true, true) === POSSIBLE
  );
}

const IMPOSSIBLE = 0;
const POSSIBLE = 1;
/** Not possible in this view, but another view leaves out some of these bytes. */
const INTERRUPTED = 2;

/** Follows the needles from a position in one view, as far as the filter checks. */
function follow(
  trie: PrefixTrie,
  bytes: Uint8Array,
  from: number,
  end: number,
  visible: boolean,
  joined: boolean,
): number {
  const stop = Math.min(end, from + LONGEST_LOOK);
  let state = 0;
  let spaced = false;
  let afterBreak = false;
  let interrupted = false;
  let depth = 0;
  for (let at = from; depth < LOOK_AHEAD; at++) {
    if (at >= stop) return POSSIBLE;
    const byte = bytes[at]!;
    const symbol = symbolOf(byte);
    if (depth > 0 && (byte === ESC || symbol === GAP)) {
      interrupted ||= byte === ESC || isLineBreak(byte);
      if (visible && byte === ESC) {
        const length = measureSequence(bytes, at, stop);
        if (length === 0) return POSSIBLE;
        at += length - 1;
        continue;
      }
      afterBreak = joined && symbol === GAP && (afterBreak || isLineBreak(byte));
      if (afterBreak || (symbol === GAP && spaced)) continue;
    }
    spaced = symbol === GAP;
    afterBreak = false;
    state = trie.child(state, symbol);
    if (state === 0) return interrupted ? INTERRUPTED : IMPOSSIBLE;
    if (trie.firstEnding(state) !== -1) return POSSIBLE;
    depth += 1;
  }
  return POSSIBLE;
}
