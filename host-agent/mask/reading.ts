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
  /** From where bytes must be held back for it: `start`, or the floor where that is later. */
  heldFrom(): number;
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

const KEPT_BYTES = 1 << 20;

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
    cursors: [],
    positions: createPositionQueue(),
  };
  const { positions } = state;

  const found = (needle: number, symbols: number, position: number): void => {
    const start = positions.at(positions.length - symbols);
    onNeedle(Math.max(start, state.floor), position + 1, needle, symbols);
  };

  /** Moves the cursors on and says how far the foremost has come. */
  const advanceCursors = (symbol: number, position: number): number => {
    let deepest = 0;
    for (const cursor of state.cursors) {
      cursor.matched = cursor.long.advance(cursor.matched, symbol);
      if (cursor.matched >= trie.maxDepth && cursor.long.isWhole(cursor.matched)) {
        found(cursor.long.needle, cursor.matched, position);
      }
      deepest = Math.max(deepest, cursor.matched);
    }
    return deepest;
  };

  /** Drops the cursors that the trie can follow again, and the positions nothing needs. */
  const keepMatched = (deepest: number): void => {
    state.cursors = state.cursors.filter((cursor) => cursor.matched >= trie.maxDepth);
    positions.keep(Math.max(trie.depth(state.node), state.cursors.length === 0 ? 0 : deepest));
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
      positions.push(position);
      state.node = trie.next(state.node, symbol);
      const deepest = state.cursors.length === 0 ? 0 : advanceCursors(symbol, position);
      if (trie.depth(state.node) === trie.maxDepth) addCursors();
      if (trie.ending(state.node) !== 0) reportEndings(position);
      if (state.cursors.length === 0) positions.keep(trie.depth(state.node));
      else keepMatched(Math.max(deepest, trie.maxDepth));
    },
    matched: () => positions.length,
    start: () => (positions.length === 0 ? Number.POSITIVE_INFINITY : positions.at(0)),
    heldFrom: () =>
      positions.length === 0 ? Number.POSITIVE_INFINITY : Math.max(positions.at(0), state.floor),
    setFloor(position) {
      state.floor = position;
    },
    dropBefore(position) {
      let dropped = 0;
      while (dropped < positions.length && positions.at(dropped) < position) dropped += 1;
      const limit = positions.length - dropped;
      while (trie.depth(state.node) > limit) state.node = trie.suffix(state.node);
      let deepest = 0;
      for (const cursor of state.cursors) {
        cursor.matched = cursor.long.shorten(cursor.matched, limit);
        deepest = Math.max(deepest, cursor.matched);
      }
      keepMatched(deepest);
    },
    isDeep: () => state.cursors.length > 0,
    copyFrom(other) {
      state.node = other.state.node;
      state.spaced = other.state.spaced;
      state.floor = other.state.floor;
      state.cursors = other.state.cursors.map((cursor) => ({ ...cursor }));
      positions.copyFrom(other.state.positions);
    },
    clear() {
      state.node = 0;
      state.spaced = false;
      state.cursors = [];
      positions.keep(0);
    },
  };
}
