// Matches the needles in one view of the stream, and keeps the positions of the matched symbols.
import type { Automaton, State } from './automaton.js';
import { createPositionQueue, type PositionQueue } from './position-queue.js';
import { GAP, symbolOf } from './symbols.js';

/**
 * Called for every needle that ends at a byte, with the stream positions of its first byte and of the byte after its
 * last.
 */
export type OnNeedle = (start: number, end: number, needle: number, symbols: number) => void;

/**
 * ranges: reports the longest needle at every position where needles end. names: reports every needle that occurs, at
 * least once. In both modes the cost of a byte does not depend on the number of needles that end there.
 */
export type Report = 'ranges' | 'names';

export interface Matcher {
  /** Reads one byte of the stream and reports the needles that end with it. */
  step(byte: number, position: number): void;
  /** Returns the number of symbols of the longest proper needle prefix that the text ends with. */
  matched(): number;
  /** Returns where that prefix begins; Infinity when there is none. */
  start(): number;
  /** Returns the position from which bytes must be held back: no later range begins before it. */
  heldFrom(): number;
  /** Notes that the bytes before a position, a line break, are not part of this view. */
  leaveOutBreak(end: number): void;
  /** Later ranges begin at this position or after it. */
  setFloor(position: number): void;
  /** Returns whether the last byte was whitespace: further whitespace is the same symbol. */
  isSpaced(): boolean;
  /** Drops matches that began before a position. */
  dropBefore(position: number): void;
  copyFrom(other: Matcher): void;
  clear(): void;
  /** The state that `copyFrom` copies. */
  readonly state: MatcherState;
}

interface MatcherState {
  /** The longest state that the text ends with and that a needle continues. */
  node: State;
  spaced: boolean;
  floor: number;
  /** End of a line break left out before the next symbol, -1 when there is none. */
  breakEnd: number;
  /** Positions of the matched symbols. */
  positions: PositionQueue;
}

/**
 * Minimum matched symbols before a line break for the match to be held back there. Shorter matches are released,
 * because otherwise the end of the last line before every pause would wait for the next line. If a needle is broken
 * that early, those symbols stay readable.
 */
export const HELD_AT_BREAK = 4;

// Added to the position of a symbol that follows a left-out line break.
const AFTER_BREAK = 0.5;

export function createMatcher(automaton: Automaton, report: Report, onNeedle: OnNeedle): Matcher {
  const state: MatcherState = {
    node: automaton.root,
    spaced: false,
    floor: 0,
    breakEnd: -1,
    positions: createPositionQueue(),
  };
  const { positions } = state;

  /**
   * Returns where the range of a needle begins that starts with this matched symbol: after a line break among its
   * first symbols.
   */
  const countsFrom = (index: number): number => {
    let last = Math.min(index + HELD_AT_BREAK, positions.length()) - 1;
    while (last > index && Number.isInteger(positions.at(last))) last -= 1;
    return Math.max(Math.floor(positions.at(last)), state.floor);
  };

  const found = (needle: number, symbols: number, position: number): void => {
    onNeedle(countsFrom(positions.length() - symbols), position + 1, needle, symbols);
  };

  /** Drops matches that cannot continue, and positions that are no longer needed. */
  const keepMatched = (): void => {
    state.node = state.node.extensible;
    positions.keep(state.node.depth);
  };

  /** Of needles that end together, the longest covers the others. */
  const reportLongest = ({ ended, depth }: State, position: number): void => found(ended[0]!, depth, position);

  /** The needles that end with a needle are always the same, so they are reported once. */
  const reported = new Set<number>();
  const reportNames = (longest: State, position: number): void => {
    for (let node: State | null = longest; node; node = node.suffix!.ending) {
      const first = node.ended[0]!;
      if (reported.has(first)) return;
      reported.add(first);
      for (const needle of node.ended) found(needle, node.depth, position);
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
      state.node = automaton.next(state.node, symbol);
      if (state.node.ending) reportEndings(state.node.ending, position);
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
      while (state.node.depth > limit) state.node = state.node.suffix!;
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
      state.node = automaton.root;
      state.spaced = false;
      state.breakEnd = -1;
      positions.keep(0);
    },
  };
}
