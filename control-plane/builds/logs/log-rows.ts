// The rows of logs that several processes share, as logs/ needs them.
import type { LogPiece, StoredLog } from '../domain/stored-log.js';
import type { LineMark } from './line-places.js';

export interface LogChange {
  /** The log as it was read; null: there was none. */
  readonly before: StoredLog | null;
  readonly after: StoredLog;
  /** Must be the running attempt of the build; null: is not checked. */
  readonly attempt: number | null;
  /** Removes the pieces that begin at this offset or after it, first. */
  readonly cutAt?: number;
  readonly add?: readonly LogPiece[];
}

export interface LogRows {
  /** Returns null if nothing was logged. */
  find(buildId: string): Promise<StoredLog | null>;
  isRunning(buildId: string, attempt: number): Promise<boolean>;
  /**
   * Makes the change durable. Returns false, without a change, if the log is not as it was read, is in an object, or its
   * attempt does not run.
   */
  change(change: LogChange): Promise<boolean>;
  /** Returns the pieces that have bytes between two offsets, in order. */
  pieces(buildId: string, from: number, to: number): Promise<readonly Omit<LogPiece, 'entries'>[]>;
  /** Returns the entries of the same pieces. */
  entries(buildId: string, from: number, to: number): Promise<readonly Buffer[]>;
  /** Returns the entries of the pieces that begin between two offsets, in order. */
  entriesFrom(buildId: string, from: number, to: number): Promise<readonly Buffer[]>;
  /** Returns where the last piece begins that has fewer line feeds before it than `below`. */
  lastBelow(buildId: string, below: number): Promise<LineMark | null>;
  /** Returns where the piece that a byte is in begins. */
  pieceAt(buildId: string, offset: number): Promise<LineMark | null>;
  /** Deletes some of a log's pieces. Returns whether there are more; if not, this is recorded. */
  dropPieces(buildId: string): Promise<boolean>;
  /** Deletes the row of a log without pieces. */
  remove(buildId: string): Promise<void>;
  /** Returns the logs with pieces whose builds have ended, in the order of the builds' ids after `after`. */
  ended(after: string, limit: number): Promise<readonly StoredLog[]>;
  /** Returns the builds with logs after one, in the order of their ids. */
  list(after: string, limit: number): Promise<readonly string[]>;
}
