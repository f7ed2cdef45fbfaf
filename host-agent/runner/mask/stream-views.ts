// The views of the stream in which a needle counts as found. A view is followed only while it differs from another:
//   raw      every byte as it is;
//   visible  without complete escape sequences, so that colors inside a needle do not hide it;
//   joined   visible, without line breaks and the indentation after them: a needle wrapped over lines.
// In each of them, any run of whitespace equals any other.
import type { Automaton, State } from './automaton.js';
import { BROKEN, createEscapeParser, SEQUENCE } from './escape-sequence.js';
import { createMatcher, type Matcher, type OnNeedle, type Report } from './matcher.js';
import { isLineBreak, isSpace } from './symbols.js';

/** The `needle` of a reported range that is not a needle, but what was skipped inside a partial match: see LONGEST_GAP. */
export const NO_NEEDLE = -1;

/**
 * Maximum bytes of escape sequences and whitespace inside one needle. A partial match with more is reported as it is,
 * without waiting for its end: so the held bytes stay bounded, and none of them is shown.
 */
export const LONGEST_GAP = 16_384;

/** Minimum symbols of a needle that is searched for across line breaks. */
export const SHORTEST_JOINED = 8;

const ESC = 0x1b;

export class StreamViews {
  readonly #onRange: OnNeedle;
  readonly #parser = createEscapeParser();
  readonly #automaton: Automaton;
  #root: State;
  readonly #raw: Matcher;
  readonly #visibleMatcher: Matcher;
  readonly #joinedMatcher: Matcher;
  // Undefined while the view cannot find anything that `raw` (for joined: `visible`) does not find as well. That is the
  // case when everything it has matched lies after the last byte that it left out, the position noted beside it.
  #visible: Matcher | undefined;
  #visibleGap = 0;
  #joined: Matcher | undefined;
  #joinedGap = 0;
  #sequenceStart = 0;
  #afterBreak = false;

  constructor(automaton: Automaton, report: Report, onRange: OnNeedle) {
    this.#onRange = onRange;
    this.#automaton = automaton;
    this.#root = automaton.root;
    this.#raw = createMatcher(automaton, report, onRange);
    this.#visibleMatcher = createMatcher(automaton, report, onRange);
    this.#joinedMatcher = createMatcher(automaton, report, (start, end, needle, symbols) => {
      if (symbols >= SHORTEST_JOINED) onRange(start, end, needle, symbols);
    });
  }

  /** Reads the byte at a position of the stream. */
  step(byte: number, position: number): void {
    if (this.#automaton.isLarge()) this.#automaton.restart();
    if (this.#root !== this.#automaton.root) this.#moveStates();
    const verdict = this.#parser.step(byte);
    if (verdict & BROKEN) this.#takeSequenceForText();
    const sequence = (verdict & SEQUENCE) !== 0;
    const space = isSpace(byte);
    if (sequence) this.#stepSequence(byte, position);
    else if (space) this.#stepSpace(byte, position);
    else this.#stepText(byte, position);

    if (this.#visible && !(this.#visible.start() < this.#visibleGap)) this.#visible = undefined;
    if (this.#joined && !(this.#joined.start() < this.#joinedGap)) this.#joined = undefined;
    if (sequence || space) this.#boundGaps(position + 1);
  }

  /** Returns the position before which no match is in progress; `end` when none is at all. */
  settled(end: number): number {
    let first = Math.min(end, this.#raw.heldFrom());
    if (this.#visible) first = Math.min(first, this.#visible.heldFrom());
    if (this.#joined) first = Math.min(first, this.#joined.heldFrom());
    return first;
  }

  /**
   * When every match in progress consists of the last bytes before `end`, unchanged: returns how many bytes (0 when no
   * match is in progress). Otherwise, or in the middle of whitespace, returns -1.
   */
  plainTail(end: number): number {
    const raw = this.#raw;
    if (this.#visible || this.#joined || raw.isSpaced() || this.#parser.inside()) return -1;
    const matched = raw.matched();
    return matched === 0 || raw.start() === end - matched ? matched : -1;
  }

  /** Drops all matches in progress. */
  clear(): void {
    this.#raw.clear();
    this.#afterBreak = false;
  }

  #startVisible(): void {
    if (this.#raw.matched() === 0) return;
    this.#visibleMatcher.copyFrom(this.#raw);
    this.#visibleMatcher.dropBefore(this.#visibleGap);
    this.#visible = this.#visibleMatcher;
  }

  #startJoined(): void {
    const from = this.#visible ?? this.#raw;
    if (from.matched() === 0) return;
    const gap = this.#visible ? this.#joinedGap : Math.max(this.#joinedGap, this.#visibleGap);
    this.#joinedMatcher.copyFrom(from);
    this.#joinedMatcher.dropBefore(gap);
    this.#joined = this.#joinedMatcher;
  }

  /** What began at `#sequenceStart` is text: `raw` has read it as such, and no match continues across its ESC. */
  #takeSequenceForText(): void {
    this.#visible = undefined;
    this.#visibleGap = this.#sequenceStart;
    this.#joined = undefined;
  }

  #stepSequence(byte: number, position: number): void {
    if (byte === ESC) {
      this.#sequenceStart = position;
      if (!this.#visible) this.#startVisible();
    }
    this.#raw.step(byte, position);
    this.#visibleGap = position + 1;
  }

  /** Reads whitespace, which `joined` leaves out from a line break on. */
  #stepSpace(byte: number, position: number): void {
    const skipped = this.#afterBreak || isLineBreak(byte);
    if (skipped && !this.#joined) this.#startJoined();
    this.#raw.step(byte, position);
    this.#visible?.step(byte, position);
    if (skipped) this.#joined?.leaveOutBreak(position + 1);
    else this.#joined?.step(byte, position);
    if (skipped) this.#joinedGap = position + 1;
    this.#afterBreak = skipped;
  }

  #stepText(byte: number, position: number): void {
    this.#raw.step(byte, position);
    this.#visible?.step(byte, position);
    this.#joined?.step(byte, position);
    this.#afterBreak = false;
  }

  #boundGaps(end: number): void {
    this.#boundGap(this.#raw, end);
    if (this.#visible) this.#boundGap(this.#visible, end);
    if (this.#joined) this.#boundGap(this.#joined, end);
  }

  #boundGap(matcher: Matcher, end: number): void {
    const from = matcher.heldFrom();
    if (end - from <= LONGEST_GAP + matcher.matched()) return;
    this.#onRange(from, end, NO_NEEDLE, 0);
    matcher.setFloor(end);
  }

  /** Continues the matches in progress after a restart of the automaton. */
  #moveStates(): void {
    this.#root = this.#automaton.root;
    const active = [this.#raw, this.#visible, this.#joined];
    for (const matcher of [this.#raw, this.#visibleMatcher, this.#joinedMatcher]) {
      if (active.includes(matcher)) matcher.state.node = this.#automaton.moved(matcher.state.node);
      else matcher.clear();
    }
  }
}
