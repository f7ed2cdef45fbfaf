// Reads a log as it grows and finds the line that best explains why the build failed. Time is linear in the log's
// length; memory is constant: the beginning of one line and a few candidates.
import { createCauseFinder } from './cause-finder.js';
import { findingOf, type LogFinding } from './failure-finding.js';
import { lineFilter } from './failure-words.js';
import { wordText } from './word-filter.js';

/** Bytes of a line that are examined; messages of tools do not begin later. */
const LINE_BYTES = 4096;
const PIECE_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * Scratch buffer: the unfinished line, then a piece of the log. Shared by all scans, because it is used only within one
 * synchronous call.
 */
const text = wordText(LINE_BYTES + PIECE_BYTES);
const { bytes: scratch } = text;

export type FailureScan = ReturnType<typeof createFailureScan>;

/**
 * @param firstLine number, in the whole log, of the first line that is read
 * @example
 * const scan = createFailureScan();
 * for await (const piece of log) scan.read(piece);
 * scan.end(65, '/Users/ci/work') // { reasonCode: 'compile_error', location: { file: 'App/Cart.swift', … }, … }
 */
export function createFailureScan(firstLine = 1) {
  const finder = createCauseFinder();
  let line = firstLine;
  let endsWithLine = true;
  /** The beginning of the unfinished line. */
  let carry = NOTHING;
  /** The next line is examined even if it contains none of the words. */
  let wanted = false;

  /** Text overwritten with CR is examined each time but counted as one line. */
  const look = (start: number, end: number) => {
    const stop = Math.min(end, start + LINE_BYTES);
    const words = lineFilter.within(text, start, stop);
    wanted = finder.cares(words) && finder.see(line, scratch.toString('utf8', start, stop), words);
  };
  /** Examines the complete lines in the scratch buffer. */
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
    scratch.set(carry);
    scratch.set(bytes, carry.length);
    const known = scratch.subarray(0, length);
    const ended = Math.max(known.lastIndexOf(LF), known.lastIndexOf(CR)) + 1;
    lookThrough(ended);
    carry = Buffer.from(scratch.subarray(ended, Math.min(length, ended + LINE_BYTES)));
  };

  return {
    /** Continues with the next bytes; pieces may be split anywhere. */
    read(bytes: Uint8Array): void {
      if (bytes.length === 0) return;
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) readPiece(bytes.subarray(at, at + PIECE_BYTES));
      endsWithLine = bytes[bytes.length - 1] === LF;
    },
    /**
     * Returns the best explanation for this exit code; null if no line explains it. The scan cannot be used afterwards.
     *
     * @param work absolute path of the work folder
     */
    end(exitCode: number | null, work: string | null): LogFinding | null {
      scratch.set(carry);
      look(0, carry.length);
      const cause = finder.best(exitCode);
      return cause && findingOf(cause, { first: firstLine, last: endsWithLine ? line - 1 : line }, work);
    },
  };
}

function startOfLine(from: number, at: number): number {
  let start = at;
  while (start > from && !endsLine(scratch[start - 1])) start--;
  return start;
}

function endOfLine(from: number, to: number): number {
  let end = from;
  while (end < to && !endsLine(scratch[end])) end++;
  return end;
}

const endsLine = (byte: number | undefined): boolean => byte === LF || byte === CR;

function lineFeedFrom(place: number): number {
  const feed = scratch.indexOf(LF, place);
  return feed < 0 ? Number.POSITIVE_INFINITY : feed;
}
