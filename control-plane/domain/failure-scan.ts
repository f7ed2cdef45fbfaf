// Reads a log as it grows and finds the line that says best why the build failed. Time grows with the log's length,
// memory does not: no more than the beginning of one line and a few candidates are held.
import { createCauseFinder } from './cause-finder.js';
import { findingOf, type LogFinding } from './failure-finding.js';
import { lineFilter } from './failure-words.js';

/** Bytes of a line that are looked at: what stands far behind in a line is no message of a tool. */
const LINE_BYTES = 4096;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array(0);

const { next, firstHit, ends } = lineFilter;
const afterLf = next[LF];
const afterCr = next[CR];

export interface FailureScan {
  /** Goes on behind what was read; pieces may be cut anywhere. */
  read(bytes: Uint8Array): void;
  /**
   * What says best why the attempt ended with this exit code; null when no line does. Nothing can be read any more.
   *
   * @param work absolute path of the work folder
   */
  end(exitCode: number | null, work: string | null): LogFinding | null;
}

/**
 * @param firstLine number in the whole log of the line that begins with what is read first
 * @example
 * const scan = createFailureScan();
 * for await (const piece of log) scan.read(piece);
 * scan.end(65, '/Users/ci/work') // { reasonCode: 'compile_error', location: { file: 'App/Cart.swift', … }, … }
 */
export function createFailureScan(firstLine = 1): FailureScan {
  const finder = createCauseFinder();
  let state = 0;
  let line = firstLine;
  let endsWithLine = true;
  /** The beginning of a line that began in an earlier piece. */
  const carry = Buffer.alloc(LINE_BYTES);
  let carried = 0;
  /** Words of the present line, each once. */
  let words: number[] = [];
  /** The present line is to be looked at even without any. */
  let wanted = false;

  const keep = (bytes: Uint8Array, start: number, end: number) => {
    const kept = bytes.subarray(start, Math.min(end, start + LINE_BYTES - carried));
    carry.set(kept, carried);
    carried += kept.length;
  };
  const look = (bytes: Uint8Array, start: number, end: number) => {
    if (carried > 0) keep(bytes, start, end);
    const text =
      carried > 0
        ? carry.toString('utf8', 0, carried)
        : textOf(bytes.subarray(start, Math.min(end, start + LINE_BYTES)));
    wanted = finder.see(line, text, words);
    words = [];
  };
  const note = (found: readonly number[]) => {
    for (const word of found) if (!words.includes(word)) words.push(word);
  };

  return {
    read(bytes) {
      const { length } = bytes;
      if (length === 0) return;
      let start = 0;
      let at = state;
      for (let i = 0; i < length; i++) {
        at = next[(at << 8) | (bytes[i] as number)] as number;
        if (at < firstHit) continue;
        if (at === afterLf || at === afterCr) {
          if (wanted || words.length > 0) look(bytes, start, i);
          // A line that is written over and over on the screen is looked at each time, and counts once.
          if (at === afterLf) line++;
          carried = 0;
          start = i + 1;
        } else if (carried + i - start < LINE_BYTES) {
          note(ends[at] as readonly number[]);
        }
      }
      state = at;
      endsWithLine = bytes[length - 1] === LF;
      if (carried < LINE_BYTES) keep(bytes, start, length);
    },
    end(exitCode, work) {
      if (wanted || words.length > 0) look(NOTHING, 0, 0);
      const cause = finder.best(exitCode);
      return cause && findingOf(cause, { first: firstLine, last: endsWithLine ? line - 1 : line }, work);
    },
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
