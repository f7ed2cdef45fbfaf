// One way of reading the stream: which needles its symbols may be part of, and where those symbols stood.
import type { NeedleStates } from './needle-states.js';
import { createPositionQueue, type PositionQueue } from './position-queue.js';
import { GAP, symbolOf } from './symbols.js';

/** Told of every needle that ends at a byte: stream positions of its first byte and of the byte after its last. */
export type OnNeedle = (start: number, end: number, needle: number, symbols: number) => void;

/**
 * ranges: of every place at which needles end, the range of the longest of them. names: every needle that occurs, at
 * least once. Either way the time for a byte does not grow with the number of needles that end with it.
 */
export type Report = 'ranges' | 'names';

export interface Matcher {
  /** Reads one byte of the stream and tells of every needle that ends with it. */
  step(byte: number, position: number): void;
  /** Number of symbols of the longest needle beginning, not a whole needle, that the text read so far ends with. */
  matched(): number;
  /** Where that beginning stands; Infinity when there is none. */
  start(): number;
  /** From where bytes must be held back for it: no range told of later begins before. */
  heldFrom(): number;
  /** Notes that the bytes before a position, a line break, are left out of this view. */
  leaveOutBreak(end: number): void;
  /** Gives up bytes before a position: what is found later begins there at the earliest. */
  setFloor(position: number): void;
  /** The last byte was whitespace: more of it is the same symbol. */
  isSpaced(): boolean;
  /** Forgets what began before a position. */
  dropBefore(position: number): void;
  copyFrom(other: Matcher): void;
  clear(): void;
  /** What `copyFrom` copies. */
  readonly state: MatcherState;
}

interface MatcherState {
  /** Of all states that the text ends with the longest with which a needle goes on. */
  node: number;
  spaced: boolean;
  floor: number;
  /** End of a line break left out right before the next symbol, -1 when there is none. */
  breakEnd: number;
  /** Positions of the matched symbols. */
  positions: PositionQueue;
}

/**
 * Symbols of a possible needle that must stand before a line break for it to be held back there. Fewer are let go, or
 * the end of the last line before every pause would wait for the next line. Of a needle that is broken so early, they
 * stay readable.
 */
export const HELD_AT_BREAK = 4;

// Added to the position of a symbol before which a line break was left out.
const AFTER_BREAK = 0.5;

export function createMatcher(states: NeedleStates, report: Report, onNeedle: OnNeedle): Matcher {
  const state: MatcherState = {
    node: 0,
    spaced: false,
    floor: 0,
    breakEnd: -1,
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

  /** Drops what cannot go on, and the positions that nothing needs. */
  const keepMatched = (): void => {
    state.node = states.extensible(state.node);
    positions.keep(states.depth(state.node));
  };

  /** Of needles that end together the longest covers all others. */
  const reportLongest = (position: number): void => {
    const node = states.ending(state.node);
    found(states.firstEnding(node), states.depth(node), position);
  };

  /** What ends with a needle is the same each time: it is told of once, however often that needle comes. */
  const reported = new Set<number>();
  const reportNames = (position: number): void => {
    for (let node = states.ending(state.node); node !== 0; node = states.ending(states.suffix(node))) {
      const first = states.firstEnding(node);
      if (reported.has(first)) return;
      reported.add(first);
      const symbols = states.depth(node);
      states.eachEnding(node, (needle) => found(needle, symbols, position));
    }
  };
  const reportEndings = report === 'ranges' ? reportLongest : reportNames;

  return {
    state,
    step(byte, position) {
      const symbol = symbolOf(byte);
      if (symbol === GAP && state.spaced) return;
      state.spaced = symbol === GAP;
      positions.push(state.breakEnd === -1 ? position : position + AFTER_BREAK);
      state.breakEnd = -1;
      state.node = states.next(state.node, symbol);
      if (states.ending(state.node) !== 0) reportEndings(position);
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
      while (states.depth(state.node) > limit) state.node = states.suffix(state.node);
      keepMatched();
    },
    isSpaced: () => state.spaced,
    copyFrom(other) {
      state.node = other.state.node;
      state.spaced = other.state.spaced;
      state.floor = other.state.floor;
      state.breakEnd = other.state.breakEnd;
      positions.copyFrom(other.state.positions);
    },
    clear() {
      state.node = 0;
      state.spaced = false;
      state.breakEnd = -1;
      positions.keep(0);
    },
  };
}
