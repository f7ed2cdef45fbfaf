// The port for build logs: masked bytes, appended at offsets, read by offset or by line. `fs-build-logs.ts` has them in files of
// one process; `shared-build-logs.ts` in the database while their builds run and then in objects, for several processes.
//
// A line ends with LF (a CR before it belongs to the line); what follows the last LF, if anything, is a line too. Lines
// are counted from 1. In files, appending does not wait for fsync: the sender keeps its copy until `finish`, and after a power
// loss `length` tells it where to resume.
//
// A writer names the attempt that it writes for. Several processes have no lock in common, so the shared form refuses it with
// LogClosedError once that attempt no longer runs; with files the lock of the build is enough.
import type { AddressedAs } from '../../platform/blobs/object-store.js';

export interface LogRead {
  data: Buffer;
  /** Where `data` begins: the requested offset, or the next character boundary. */
  offset: number;
  /** Offset to continue reading at. */
  nextOffset: number;
  /** Length of the whole log in bytes when it was read. */
  length: number;
}

export interface LogSize {
  length: number;
  lines: number;
}

/** The part of a log that one attempt wrote, with its hash. */
export interface LogPart {
  /** Offset of its first byte in the log. */
  from: number;
  length: number;
  sha256: string;
}

/** Bytes of a log, from (inclusive) and to (exclusive). */
export interface LogBytes {
  readonly from: number;
  readonly to: number;
}

/** Where a byte of a log comes from. */
export interface LogOrigin {
  /** When it arrived, in ms since the epoch; null if that is not known. */
  readonly at: number | null;
  /** Whether it is of a line that the service wrote. */
  readonly isOwn: boolean;
}

/** The log is written no more: its attempt does not run, or it has ended. */
export class LogClosedError extends Error {
  override name = 'LogClosedError';
  constructor(buildId: string) {
    super(`the log of ${buildId} is closed for this attempt`);
  }
}

/** Returns null if the log is closed for the attempt that was named. */
export async function unlessClosed<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof LogClosedError) return null;
    throw error;
  }
}

export interface BuildLogs {
  /**
   * Appends the bytes beyond the log's end. Bytes before it are skipped as repeats; a piece after a gap is not stored.
   * In both cases the returned length is the next expected offset. The buffer must not be modified afterwards, because
   * followers read it from memory.
   *
   * @param service byte ranges of the log that are lines of the service, in order; ranges outside of the bytes are
   *   ignored
   */
  append(
    buildId: string,
    offset: number,
    bytes: Buffer,
    service?: readonly LogBytes[],
    attempt?: number,
  ): Promise<{ length: number }>;
  /** Appends a line from the service, on a new line. */
  appendLine(buildId: string, line: string, attempt?: number): Promise<{ length: number }>;
  /**
   * Verifies that the part is stored completely and unaltered, and makes it durable. Otherwise truncates the log to the
   * first byte that has to be resent, which is `wanted`.
   */
  finish(
    buildId: string,
    part: LogPart,
    attempt?: number,
  ): Promise<{ complete: true } | { complete: false; wanted: number }>;
  /** Returns the length of the log without opening it; 0 if nothing was logged. */
  bytes(buildId: string): Promise<number>;
  /** Returns zeros if nothing was logged. */
  size(buildId: string): Promise<LogSize>;
  /**
   * Returns at most `maxBytes`, never splitting a UTF-8 character. An incomplete character at the log's end is held
   * back until more arrives, or returned as it is if the log has `ended`. Returns no bytes beyond the log's end.
   */
  read(buildId: string, offset: number, maxBytes: number, ended: boolean): Promise<LogRead>;
  /**
   * Returns where a line begins (the log's end if it has no such line) and the log's length at the same moment.
   *
   * @example for await (const piece of logs.stream(id, { start: from.offset, end: from.length })) …
   */
  lineStart(buildId: string, line: number): Promise<LogSize & { offset: number }>;
  /** Returns the offset at which the last `lines` lines begin. */
  tailOffset(buildId: string, lines: number): Promise<number>;
  /** Returns the number of the line that the byte at an offset is in. */
  lineAt(buildId: string, offset: number): Promise<number>;
  /**
   * Returns where the bytes between two offsets come from. Offsets must be asked for in ascending order; the answers do not
   * change later.
   */
  origins(buildId: string, from: number, to: number): Promise<(offset: number) => LogOrigin>;
  /** Streams the log's bytes up to its length at the call. */
  stream(buildId: string, range?: { start?: number; end?: number }): AsyncIterable<Buffer>;
  /** Returns an address from which anybody can fetch the whole log for a while; null if there is none. */
  address(buildId: string, as: AddressedAs): Promise<string | null>;
  remove(buildId: string): Promise<void>;
  /** Lists the builds that have a log here, in batches. */
  list(): AsyncIterable<readonly string[]>;
  /** Returns when the log was last written (system clock, ms), or null if there is none. */
  writtenAt(buildId: string): Promise<number | null>;
  /** Waits for pending operations and closes all files. */
  close(): Promise<void>;
}
