// One way of reading the stream: which needles its symbols may be part of, and where those symbols stood.
import { createLongNeedle, type LongNeedle } from './long-needle.js';
import { createPositionQueue } from './position-queue.js';
import type { NeedleSet, PrefixTrie } from './prefix-trie.js';
import { GAP, symbolOf } from './symbols.js';

/** Told of every needle that ends at a byte: stream positions of its first byte and of the byte after its last. */
export type OnNeedle = (start: number, end: number, needle: number, symbols: number) => void;

export interface Reading {
  /** Reads one byte of the stream and tells of every needle that ends with it. */
  step(byte: number, position: number): void;
  /** Number of symbols of the longest needle beginning that the text read so far ends with. */
  matched(): number;
  /** Where that beginning stands; Infinity when there is none. */
  start(): number;
  /** From where bytes must be held back for it: no range told of later begins before. */
  heldFrom(): number;
  /** Notes that the bytes before a position, a line break, are left out of this reading. */
  leaveOutBreak(end: number): void;
  /** Gives up bytes before a position: what is found later begins there at the earliest. */
  setFloor(position: number): void;
  /** Forgets what began before a position. */
  dropBefore(position: number): void;
  /** Follows a needle beyond the trie. */
  isDeep(): boolean;
  copyFrom(other: Reading): void;
  clear(): void;
  readonly state: ReadingState;
}

interface ReadingState {
  node: number;
  spaced: boolean;
  floor: number;
  /** End of a line break left out right before the next symbol, -1 when there is none. */
  breakEnd: number;
  cursors: Cursor[];
  positions: ReturnType<typeof createPositionQueue>;
}

interface Cursor {
  readonly long: LongNeedle;
  matched: number;
}

/** Needles followed beyond the trie, shared by the readings of one stream. */
export interface LongNeedles {
  get(needle: number): LongNeedle;
  /** Forgets the loaded texts when they have grown large. Only while no reading is deep. */
  trim(): void;
}

/**
 * Symbols of a possible needle that must stand before a line break for it to be held back there. Fewer are let go, or
 * the end of the last line before every pause would wait for the next line. Of a needle that is broken so early, they
 * stay readable.
 */
export const HELD_AT_BREAK = 4;

const KEPT_BYTES = 8 << 20;
// Added to the position of a symbol before which a line break was left out.
const AFTER_BREAK = 0.5;

export function createLongNeedles(needles: NeedleSet): LongNeedles {
  const loaded = new Map<number, LongNeedle>();
  let used = false;
  return {
    get(needle) {
      used = true;
      const known = loaded.get(needle);
      if (known) return known;
      const long = createLongNeedle(needles, needle);
      loaded.set(needle, long);
      return long;
    },
    trim() {
      if (!used) return;
      used = false;
      let bytes = 0;
      for (const long of loaded.values()) bytes += long.size();
      if (bytes > KEPT_BYTES) loaded.clear();
    },
  };
}

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
      if (cursor.matched >= trie.maxDepth && cursor.long.isWhole(cursor.matched)) {
        found(cursor.long.needle, cursor.matched, position);
      }
    }
  };

  /** Drops the cursors that the trie can follow again, and the positions that nothing needs. */
  const keepMatched = (): void => {
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
