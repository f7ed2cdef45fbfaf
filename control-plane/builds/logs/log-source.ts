// Reads a log that several processes share, from wherever it is.
import type { StoredLog } from '../domain/stored-log.js';
import type { LineMark } from './line-places.js';

/** A log as it was when its row was read. */
export interface LogSource {
  readonly log: StoredLog;
  /** Returns the bytes at an offset, fewer only at the end of the log. Throws LogMovedError. */
  read(offset: number, most: number): Promise<Buffer>;
  /** Yields the bytes between two offsets. Throws LogMovedError. */
  pieces(from: number, to: number): AsyncIterable<Buffer>;
  /** Returns the last place known that has fewer line feeds before it than `below`. */
  markBelow(below: number): Promise<LineMark | null>;
  /** Returns the last place known at an offset or before it. */
  markAt(offset: number): Promise<LineMark | null>;
  /** Returns the entries of the index that hold between two offsets, and maybe more. */
  entries(from: number, to: number): Promise<Buffer>;
}

/** The log is no longer where its row said: it is in an object by now, was cut, or is gone. The row has to be read again. */
export class LogMovedError extends Error {
  override name = 'LogMovedError';
}
