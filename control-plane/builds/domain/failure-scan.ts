// Reads a log as it grows and finds the line that says best why the build failed. Time grows with the log's length,
// memory does not: no more than the beginning of one line and a few candidates are held.
import { createCauseFinder } from './cause-finder.js';
import { findingOf, type LogFinding } from './failure-finding.js';
import { lineFilter } from './failure-words.js';
import { wordText } from './word-filter.js';

/** Bytes of a line that are looked at: what stands far behind in a line is no message of a tool. */
const LINE_BYTES = 4096;
const PIECE_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * The unfinished line, then a piece of the log. One is enough for all: nothing stands in it between two calls, nor while
 * anything else runs.
 */
const text = wordText(LINE_BYTES + PIECE_BYTES);
const { bytes: desk } = text;

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
  let line = firstLine;
  let endsWithLine = true;
  /** The beginning of the line that has not ended yet. */
  let carry = NOTHING;
  /** The next line is to be looked at even without any of the words. */
  let wanted = false;

  /** A line is also what is written over on the screen: it is looked at each time, and counts once. */
  const look = (start: number, end: number) => {
    const stop = Math.min(end, start + LINE_BYTES);
    const words = lineFilter.within(text, start, stop);
    wanted = finder.cares(words) && finder.see(line, desk.toString('utf8', start, stop), words);
  };
  /** Looks at all that `desk` holds up to an end of a line. */
  const lookThrough = (length: number) => {
    let feed = lineFeedFrom(0);
    const countTo = (place: number) => {
      for (; feed < place; feed = lineFeedFrom(feed + 1)) line++;
    };
    for (let at = 0; at < length; ) {
      const word = wanted ? at : lineFilter.first(text, at, length);
      if (word < 0) break;
      const start = wanted ? at : startOfLine(at, word);
      const end = endOfLine(word, length);
      countTo(start);
      look(start, end);
      at = end + 1;
    }
    countTo(length);
  };
  const readPiece = (bytes: Uint8Array) => {
    const length = carry.length + bytes.length;
    desk.set(carry);
    desk.set(bytes, carry.length);
    const known = desk.subarray(0, length);
    const ended = Math.max(known.lastIndexOf(LF), known.lastIndexOf(CR)) + 1;
    lookThrough(ended);
    carry = Buffer.from(desk.subarray(ended, Math.min(length, ended + LINE_BYTES)));
  };

  return {
    read(bytes) {
      if (bytes.length === 0) return;
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) readPiece(bytes.subarray(at, at + PIECE_BYTES));
      endsWithLine = bytes[bytes.length - 1] === LF;
    },
    end(exitCode, work) {
      desk.set(carry);
      look(0, carry.length);
      const cause = finder.best(exitCode);
      return cause && findingOf(cause, { first: firstLine, last: endsWithLine ? line - 1 : line }, work);
    },
  };
}

function startOfLine(from: number, at: number): number {
  let start = at;
  while (start > from && !endsLine(desk[start - 1])) start--;
  return start;
}

function endOfLine(from: number, to: number): number {
  let end = from;
  while (end < to && !endsLine(desk[end])) end++;
  return end;
}

const endsLine = (byte: number | undefined): boolean => byte === LF || byte === CR;

function lineFeedFrom(place: number): number {
  const feed = desk.indexOf(LF, place);
  return feed < 0 ? Number.POSITIVE_INFINITY : feed;
}
