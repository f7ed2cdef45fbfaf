// The fast path: skips bytes at which no needle can begin, by the first symbols of the needles.
import type { Automaton, State } from './automaton.js';
import { measureSequence } from './escape-sequence.js';
import { NO_SYMBOL } from './needle-text.js';
import { GAP, isLineBreak, isSpace, symbolOf } from './symbols.js';

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

export function createStartFilter(automaton: Automaton): StartFilter {
  const pairs = tableOfPairs(automaton);
  const begins = (bytes: Uint8Array, at: number, end: number): boolean => {
    const isPossible = at + 1 >= end || (pairs[(bytes[at]! << 8) | bytes[at + 1]!]! & FIRST) !== 0;
    return isPossible && mayBegin(automaton, bytes, at, end);
  };

  /**
   * Returns the first possible start in bytes without ESC, or `to`. Only every other pair is looked up, because a start
   * has two consecutive ones.
   */
  const skipText = (bytes: Uint8Array, from: number, to: number, end: number): number => {
    let at = from + 1;
    for (; at + 1 < to; at += 2) {
      const flags = pairs[(bytes[at]! << 8) | bytes[at + 1]!]!;
      if (flags === 0) continue;
      if ((flags & SECOND) !== 0 && begins(bytes, at - 1, end)) return at - 1;
      if ((flags & FIRST) !== 0 && begins(bytes, at, end)) return at;
    }
    for (let rest = at - 1; rest < to; rest++) if (begins(bytes, rest, end)) return rest;
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
        for (let inside = sequence; inside < after; inside++) if (begins(bytes, inside, end)) return sequence;
        at = after;
      }
      return end;
    },
  };
}

/** A needle may have these two bytes as its first and second one. */
const FIRST = 1;
/** A needle may have these two bytes as its second and third one. */
const SECOND = 2;
const EVERY_BYTE = Array.from({ length: 256 }, (_, byte) => byte);
const SPACES = EVERY_BYTE.filter(isSpace);
/** Bytes after which a needle may continue in some view, whatever its next symbol is. */
const INTERRUPTERS = [ESC, ...EVERY_BYTE.filter(isLineBreak)];

/** Returns a table whose entry `a << 8 | b` has the flags of the bytes a, b in this order. */
function tableOfPairs({ texts }: Automaton): Uint8Array {
  const pairs = new Uint8Array(1 << 16);
  const bytesOf = (symbol: number): readonly number[] => (symbol === GAP ? SPACES : [symbol]);
  const add = (first: number, second: number, flag: number): void => {
    const followers = second === NO_SYMBOL ? EVERY_BYTE : [...bytesOf(second), ...INTERRUPTERS];
    for (const a of bytesOf(first)) {
      for (const b of followers) pairs[(a << 8) | b]! |= flag;
      // A run of whitespace is one symbol.
      if (first === GAP) for (const b of SPACES) pairs[(a << 8) | b]! |= flag;
    }
  };
  for (const first of INTERRUPTERS) for (const second of EVERY_BYTE) pairs[(first << 8) | second]! |= SECOND;
  for (let needle = 0; needle < texts.count; needle++) {
    const [first, second, third] = [0, 1, 2].map((index) => texts.at(needle, index)) as [number, number, number];
    if (first === NO_SYMBOL) continue;
    if (second === NO_SYMBOL) return pairs.fill(FIRST | SECOND);
    add(first, second, FIRST);
    add(second, third, SECOND);
    // A run of whitespace may be the first two bytes.
    if (first === GAP) add(GAP, second, SECOND);
  }
  return pairs;
}

/** Returns whether a needle may begin at a position in any view. */
function mayBegin(automaton: Automaton, bytes: Uint8Array, at: number, end: number): boolean {
  const raw = follow(automaton, bytes, at, end, false, false);
  if (raw !== INTERRUPTED) return raw === POSSIBLE;
  return (
    follow(automaton, bytes, at, end, true, false) === POSSIBLE ||
    follow(automaton, bytes, at, end, true, true) === POSSIBLE
  );
}

const IMPOSSIBLE = 0;
const POSSIBLE = 1;
/** Not possible in this view, but another view leaves out some of these bytes. */
const INTERRUPTED = 2;

/** Follows the needles from a position in one view, as far as the filter checks. */
function follow(
  automaton: Automaton,
  bytes: Uint8Array,
  from: number,
  end: number,
  visible: boolean,
  joined: boolean,
): number {
  const stop = Math.min(end, from + LONGEST_LOOK);
  let state: State = automaton.root;
  let spaced = false;
  let afterBreak = false;
  let interrupted = false;
  for (let at = from; state.depth < LOOK_AHEAD; at++) {
    if (at >= stop) return POSSIBLE;
    const byte = bytes[at]!;
    const symbol = symbolOf(byte);
    if (state.depth > 0 && (byte === ESC || symbol === GAP)) {
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
    const child = automaton.child(state, symbol);
    if (child === undefined) return interrupted ? INTERRUPTED : IMPOSSIBLE;
    if (child.ended.length > 0) return POSSIBLE;
    state = child;
  }
  return POSSIBLE;
}
