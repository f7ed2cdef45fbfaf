// The views of the stream in which a needle counts as found, side by side only where they differ:
//   raw      every byte as it is;
//   visible  without complete escape sequences, so that colours inside a needle do not hide it;
//   joined   visible, and without line breaks and the indentation after them: a needle wrapped over lines.
// In each of them any run of whitespace equals any other.
import { BROKEN, createEscapeParser, SEQUENCE } from './escape-sequence.js';
import { createMatcher, type Matcher, type OnNeedle, type Report } from './matcher.js';
import { createNeedleStates } from './needle-states.js';
import type { NeedleSet, PrefixTrie } from './prefix-trie.js';
import { isLineBreak, isSpace } from './symbols.js';

export interface StreamViews {
  /** Reads the byte at a position of the stream. */
  step(byte: number, position: number): void;
  /** Before which position nothing is still possible; `end` when nothing is possible at all. */
  settled(end: number): number;
  /**
   * When all that is still possible are the last bytes before `end`, as they are: how many bytes that is (0 when
   * nothing is possible). Otherwise, or in the middle of whitespace, -1.
   */
  plainTail(end: number): number;
  /** Forgets what is possible. */
  clear(): void;
}

/** `needle` of a reported range that is no needle but what was skipped inside a possible one beyond LONGEST_GAP. */
export const NO_NEEDLE = -1;

/**
 * Bytes of escape sequences and whitespace that may lie inside one needle. Where more do, the possible needle is
 * reported as it stands, its end not awaited: what is held back stays bounded, and nothing of it shows.
 */
export const LONGEST_GAP = 16_384;

/** Symbols a needle must have to be looked for across line breaks. */
export const SHORTEST_JOINED = 8;

const ESC = 0x1b;

export function createStreamViews(
  needles: NeedleSet,
  trie: PrefixTrie,
  report: Report,
  onRange: OnNeedle,
): StreamViews {
  const parser = createEscapeParser();
  const states = createNeedleStates(needles, trie);
  const raw = createMatcher(states, report, onRange);
  const visibleMatcher = createMatcher(states, report, onRange);
  const joinedMatcher = createMatcher(states, report, (start, end, needle, symbols) => {
    if (symbols >= SHORTEST_JOINED) onRange(start, end, needle, symbols);
  });
  // Undefined while it could find nothing that `raw` (for joined: `visible`) does not find as well. That is so when
  // all it has matched stands after the last byte it left out, the position kept beside it.
  let visible: Matcher | undefined;
  let visibleGap = 0;
  let joined: Matcher | undefined;
  let joinedGap = 0;
  let sequenceStart = 0;
  let afterBreak = false;

  const startVisible = (): void => {
    if (raw.matched() === 0) return;
    visibleMatcher.copyFrom(raw);
    visibleMatcher.dropBefore(visibleGap);
    visible = visibleMatcher;
  };

  const startJoined = (): void => {
    const from = visible ?? raw;
    if (from.matched() === 0) return;
    joinedMatcher.copyFrom(from);
    joinedMatcher.dropBefore(visible ? joinedGap : Math.max(joinedGap, visibleGap));
    joined = joinedMatcher;
  };

  /** What began at `sequenceStart` is text: `raw` has read it so, and nothing goes on across its ESC. */
  const takeSequenceForText = (): void => {
    visible = undefined;
    visibleGap = sequenceStart;
    joined = undefined;
  };

  const stepSequence = (byte: number, position: number): void => {
    if (byte === ESC) {
      sequenceStart = position;
      if (!visible) startVisible();
    }
    raw.step(byte, position);
    visibleGap = position + 1;
  };

  /** Reads whitespace, which `joined` leaves out from a line break on. */
  const stepSpace = (byte: number, position: number): void => {
    const skipped = afterBreak || isLineBreak(byte);
    if (skipped && !joined) startJoined();
    raw.step(byte, position);
    visible?.step(byte, position);
    if (skipped) joined?.leaveOutBreak(position + 1);
    else joined?.step(byte, position);
    if (skipped) joinedGap = position + 1;
    afterBreak = skipped;
  };

  const stepText = (byte: number, position: number): void => {
    raw.step(byte, position);
    visible?.step(byte, position);
    joined?.step(byte, position);
    afterBreak = false;
  };

  const boundGap = (matcher: Matcher, end: number): void => {
    const from = matcher.heldFrom();
    if (end - from <= LONGEST_GAP + matcher.matched()) return;
    onRange(from, end, NO_NEEDLE, 0);
    matcher.setFloor(end);
  };

  const boundGaps = (end: number): void => {
    boundGap(raw, end);
    if (visible) boundGap(visible, end);
    if (joined) boundGap(joined, end);
  };

  /** Bounds the memory while needles stay under way. */
  const restart = (): void => {
    const present = [raw, visible, joined].filter((matcher) => matcher !== undefined);
    const moved = states.restart(present.map((matcher) => matcher.state.node));
    present.forEach((matcher, i) => {
      matcher.state.node = moved[i]!;
    });
  };

  return {
    step(byte, position) {
      if (states.isLarge()) restart();
      const verdict = parser.step(byte);
      if (verdict & BROKEN) takeSequenceForText();
      const sequence = (verdict & SEQUENCE) !== 0;
      const space = isSpace(byte);
      if (sequence) stepSequence(byte, position);
      else if (space) stepSpace(byte, position);
      else stepText(byte, position);

      if (visible && !(visible.start() < visibleGap)) visible = undefined;
      if (joined && !(joined.start() < joinedGap)) joined = undefined;
      if (sequence || space) boundGaps(position + 1);
    },
    settled(end) {
      let first = Math.min(end, raw.heldFrom());
      if (visible) first = Math.min(first, visible.heldFrom());
      if (joined) first = Math.min(first, joined.heldFrom());
      return first;
    },
    plainTail(end) {
      if (visible || joined || raw.isSpaced() || parser.inside()) return -1;
      const matched = raw.matched();
      return matched === 0 || raw.start() === end - matched ? matched : -1;
    },
    clear() {
      raw.clear();
      if (states.isLarge()) states.restart([]);
      afterBreak = false;
    },
  };
}
