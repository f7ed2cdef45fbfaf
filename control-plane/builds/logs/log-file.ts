// One build's log on disk: the bytes in {path}.log, its line index in {path}.lines, the lines of the service in
// {path}.service, the times of arrival in {path}.times.
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIfMissing, syncDirectory } from '../../platform/blobs/file-system.js';
import type { LogBytes, LogTimes } from './build-logs.js';
import { piecesOf, readAt, writeAt } from './file-bytes.js';
import { openLineIndexFile } from './line-index-file.js';
import { LOG_FILES } from './log-folders.js';
import { createServiceIndex } from './service-index.js';
import { createTimeIndex } from './time-index.js';

export interface LogFileOptions {
  /** The time at which bytes arrive, in ms since the epoch. */
  now(): number;
}

/** Not for concurrent use. After a failed write the file must be reopened. */
export interface LogFile {
  length(): number;
  lines(): number;
  endsWithLine(): boolean;
  /** @param service byte ranges of the log that are lines of the service; ranges outside of the bytes are ignored */
  append(bytes: Buffer, service: readonly LogBytes[]): Promise<void>;
  /** Returns whether the service wrote the line. */
  serviceLines(): (line: number) => boolean;
  /** Returns when the bytes between two offsets arrived. */
  times(from: number, to: number): Promise<LogTimes>;
  /** Records the time of the next append in any case, also after a part that was sent again. */
  resumeTimes(): void;
  /** Begins a new part, whose hash is computed as bytes are appended. */
  beginPart(): void;
  /** Returns the SHA-256 of the bytes from an offset to the end. */
  hashFrom(offset: number): Promise<string>;
  /** Truncates the log at an offset. */
  cut(length: number): Promise<void>;
  /** Makes the file and its directory entry durable. */
  sync(): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** Returns the offset at which line `line` (from 1) begins; the log's end if there is no such line. */
  lineStart(line: number): Promise<number>;
  close(): Promise<void>;
}

/** Returns null if there is no such log. */
export async function openLogFile(path: string, options: LogFileOptions): Promise<LogFile | null> {
  const file = await open(`${path}.log`, 'r+').catch(nullIfMissing);
  return file && logFile(path, file, options);
}

/** Throws if the log exists. */
export async function makeLogFile(path: string, options: LogFileOptions): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return logFile(path, await open(`${path}.log`, 'wx+', 0o600), options);
}

async function logFile(path: string, file: FileHandle, options: LogFileOptions): Promise<LogFile> {
  const lines = await openLineIndexFile(`${path}.lines`, file);
  const own = createServiceIndex(`${path}.service`);
  const times = createTimeIndex(`${path}.times`);
  let part: { from: number; hash: Hash } | null = null;

  const length = () => lines.index().length();
  const load = async () => {
    const { size } = await file.stat();
    await lines.load(size);
    await own.load({ size, lines: lines.index().lines(), lineStart: lines.lineStart });
    await times.load(size);
    part = size === 0 ? { from: 0, hash: createHash('sha256') } : null;
  };
  const close = async () => {
    await file.close();
    await lines.close();
    await own.close();
    await times.close();
  };

  try {
    await load();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    length,
    lines: () => lines.index().lines(),
    endsWithLine: () => lines.index().endsWithLine(),
    async append(bytes, service) {
      const offset = length();
      const index = lines.index();
      const lineFeeds = index.endsWithLine() ? index.lines() : index.lines() - 1;
      await own.add(service, { offset, bytes, lineFeeds });
      const written = writeAt(file, offset, bytes);
      // Hash and index while the write is in progress.
      part?.hash.update(bytes);
      const added = lines.index().extend(bytes);
      await times.add(offset, options.now());
      await written;
      await lines.store(added);
    },
    times: times.between,
    resumeTimes: times.resume,
    beginPart() {
      part = { from: length(), hash: createHash('sha256') };
    },
    async hashFrom(offset) {
      if (part?.from === offset) return part.hash.copy().digest('hex');
      const hash = createHash('sha256');
      for await (const piece of piecesOf(file, offset, length())) hash.update(piece);
      return hash.digest('hex');
    },
    async cut(length) {
      await file.truncate(length);
      await load();
      await times.forget(length);
    },
    async sync() {
      await own.sync();
      await file.sync();
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
    },
    read: (offset, most) => readAt(file, offset, Math.min(most, length() - offset)),
    lineStart: lines.lineStart,
    serviceLines: own.lines,
    close,
  };
}

/** Does nothing if there is no such log. */
export async function removeLogFile(path: string): Promise<void> {
  for (const kind of LOG_FILES) await rm(`${path}.${kind}`, { force: true });
}
