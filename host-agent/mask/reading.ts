// One way of reading the stream: which needles its symbols may be part of, and where those symbols stood.
import type { LongNeedle, LongNeedles } from './long-needle.js';
import { createPositionQueue, type PositionQueue } from './position-queue.js';
import type { PrefixTrie } from './prefix-trie.js';
import { GAP, symbolOf } from './symbols.js';

/** Told of every needle that ends at a byte: stream positions of its first byte and of the byte after its last. */
export type OnNeedle = (start: number, end: number, needle: number, symbols: number) => void;

export interface Reading {
  /** Reads one byte of the stream and tells of every needle that ends with it. */
  step(byte: number, position: number): void;
  /** Number of symbols of the longest needle beginning, not a whole needle, that the text read so far ends with. */
  matched(): number;
  /** Where that beginning stands; Infinity when there is none. */
  start(): number;
  /** From where bytes must be held back for it: no range told of later begins before. */
  heldFrom(): number;
  /** Notes that the bytes before a position, a line break, are left out of this reading. */
  leaveOutBreak(end: number): void;
  /** Gives up bytes before a position: what is found later begins there at the earliest. */
  setFloor(position: number): void;
  /** The last byte was whitespace: more of it is the same symbol. */
  isSpaced(): boolean;
  /** Forgets what began before a position. */
  dropBefore(position: number): void;
  /** Follows a needle beyond the trie. */
  isDeep(): boolean;
  copyFrom(other: Reading): void;
  clear(): void;
  /** What `copyFrom` copies. */
  readonly state: ReadingState;
}

interface ReadingState {
  /** State of the trie. */
  node: number;
  spaced: boolean;
  floor: number;
  /** End of a line break left out right before the next symbol, -1 when there is none. */
  breakEnd: number;
  /** The needles followed beyond the trie. */
  cursors: Cursor[];
  /** Positions of the matched symbols. */
  positions: PositionQueue;
}

interface Cursor {
  readonly long: LongNeedle;
  matched: number;
}

/**
 * Symbols of a possible needle that must stand before a line break for it to be held back there. Fewer are let go, or
 * the end of the last line before every pause would wait for the next line. Of a needle that is broken so early, they
 * stay readable.
 */
export const HELD_AT_BREAK = 4;

// Added to the position of a symbol before which a line break was left out.
const AFTER_BREAK = 0.5;

export function createReading(trie: PrefixTrie, longNeedles: LongNeedles, onNeedle: OnNeedle): Reading {
  const state: ReadingState = {
    node: 0,
    spaced: false,
    floor: 0,
    breakEnd: -1,
    cursors: [],
    positions: createPositionQueue(),
  };
  const { positions } = state;

  /** Where a needle that begins with a matched symbol counts from: after a line break among its first symbols. */
  const countsFrom = (index: number): number => {
    let last = Math.min(index + HELD_AT_BREAK, positions.length()) - 1;
    while (last > index && Number.isInteger(positions.at(last))) last -= 1;
    return Math.max(Math.floor(positions.at(last)), state.floor);
  };

  const found = (needle: number, symbols: number, position: number): void => {
    onNeedle(countsFrom(positions.length() - symbols), position + 1, needle, symbols);
  };

  const advanceCursors = (symbol: number, position: number): void => {
    for (const cursor of state.cursors) {
      cursor.matched = cursor.long.advance(cursor.matched, symbol);
      if (cursor.matched < trie.maxDepth || !cursor.long.isWhole(cursor.matched)) continue;
      found(cursor.long.needle, cursor.matched, position);
      cursor.matched = cursor.long.shorten(cursor.matched, cursor.matched - 1);
    }
  };

  /** Drops what cannot go on, the cursors that the trie can follow again, and the positions that nothing needs. */
  const keepMatched = (): void => {
    state.node = trie.extensible(state.node);
    let longest = trie.depth(state.node);
    let dropped = false;
    for (const { matched } of state.cursors) {
      if (matched < trie.maxDepth) dropped = true;
      else if (matched > longest) longest = matched;
    }
    if (dropped) state.cursors = state.cursors.filter(({ matched }) => matched >= trie.maxDepth);
    positions.keep(longest);
  };

  const addCursors = (): void => {
    for (let needle = trie.firstLonger(state.node); needle !== -1; needle = trie.following(needle)) {
      if (state.cursors.some((cursor) => cursor.long.needle === needle)) continue;
      state.cursors.push({ long: longNeedles.get(needle), matched: trie.maxDepth });
    }
  };

  const reportEndings = (position: number): void => {
    for (let node = trie.ending(state.node); node !== 0; node = trie.ending(trie.suffix(node))) {
      for (let needle = trie.firstEnding(node); needle !== -1; needle = trie.following(needle)) {
        found(needle, trie.depth(node), position);
      }
    }
  };

  return {
    state,
    step(byte, position) {
      const symbol = symbolOf(byte);
      if (symbol === GAP && state.spaced) return;
      state.spaced = symbol === GAP;
      positions.push(state.breakEnd === -1 ? position : position + AFTER_BREAK);
      state.breakEnd = -1;
      state.node = trie.next(state.node, symbol);
      advanceCursors(symbol, position);
      if (trie.depth(state.node) === trie.maxDepth) addCursors();
      if (trie.ending(state.node) !== 0) reportEndings(position);
      keepMatched();
    },
    matched: () => positions.length(),
    start: () => (positions.length() === 0 ? Number.POSITIVE_INFINITY : Math.floor(positions.at(0))),
    heldFrom() {
      const matched = positions.length();
      if (matched === 0) return Number.POSITIVE_INFINITY;
      return matched < HELD_AT_BREAK && state.breakEnd !== -1 ? state.breakEnd : countsFrom(0);
    },
    leaveOutBreak(end) {
      state.breakEnd = end;
    },
    setFloor(position) {
      state.floor = position;
    },
    dropBefore(position) {
      let dropped = 0;
      while (dropped < positions.length() && positions.at(dropped) < position) dropped += 1;
      const limit = positions.length() - dropped;
      while (trie.depth(state.node) > limit) state.node = trie.suffix(state.node);
      for (const cursor of state.cursors) cursor.matched = cursor.long.shorten(cursor.matched, limit);
      keepMatched();
    },
    isSpaced: () => state.spaced,
    isDeep: () => state.cursors.length > 0,
    copyFrom(other) {
      state.node = other.state.node;
      state.spaced = other.state.spaced;
      state.floor = other.state.floor;
      state.breakEnd = other.state.breakEnd;
      state.cursors = other.state.cursors.map((cursor) => ({ ...cursor }));
      positions.copyFrom(other.state.positions);
    },
    clear() {
      state.node = 0;
      state.spaced = false;
      state.breakEnd = -1;
      state.cursors = [];
      positions.keep(0);
    },
  };
}
