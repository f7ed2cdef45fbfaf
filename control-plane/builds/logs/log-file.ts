// One build's log on disk: the bytes in {path}.log, and the index beside it.
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIfMissing, syncDirectory } from '../../platform/blobs/file-system.js';
import type { LogBytes } from './build-logs.js';
import { piecesOf, readAt, writeAt } from './file-bytes.js';
import { LOG_FILES } from './log-folders.js';
import { LogIndex } from './log-index.js';

export interface LogFileOptions {
  /** The time at which bytes arrive, in ms since the epoch. */
  now(): number;
}

/** Not for concurrent use. After a failed write the file must be reopened. */
export interface LogFile {
  readonly index: LogIndex;
  /** @param service byte ranges of the log that are lines of the service; ranges outside of the bytes are ignored */
  append(bytes: Buffer, service: readonly LogBytes[]): Promise<void>;
  /** Begins a new part, whose hash is computed as bytes are appended. */
  beginPart(): void;
  /** Returns the SHA-256 of the bytes from an offset to the end. */
  hashFrom(offset: number): Promise<string>;
  /** Truncates the log at an offset. */
  cut(length: number): Promise<void>;
  /** Makes the file and its directory entry durable. */
  sync(): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Returns null if there is no such log. */
export async function openLogFile(path: string, options: LogFileOptions): Promise<LogFile | null> {
  const file = await open(`${path}.log`, 'r+').catch(nullIfMissing);
  return file && withIndex(path, file, options, async () => LogIndex.open(path, file, (await file.stat()).size));
}

/** Throws if the log exists. */
export async function makeLogFile(path: string, options: LogFileOptions): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(`${path}.log`, 'wx+', 0o600);
  return withIndex(path, file, options, () => LogIndex.open(path, file, 0, true));
}

async function withIndex(
  path: string,
  file: FileHandle,
  { now }: LogFileOptions,
  openIndex: () => Promise<LogIndex>,
): Promise<LogFile> {
  const index = await openIndex().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  const partFrom = (from: number) => ({ from, hash: createHash('sha256') });
  let part: { from: number; hash: Hash } | null = index.length === 0 ? partFrom(0) : null;

  return {
    index,
    async append(bytes, service) {
      const offset = index.length;
      const noted = index.append(bytes, service, now());
      // A line of the service is never seen without its mark.
      if (service.length > 0) await noted;
      const written = writeAt(file, offset, bytes);
      // Hash while the writes are in progress.
      part?.hash.update(bytes);
      await Promise.all([noted, written]);
    },
    beginPart() {
      part = partFrom(index.length);
    },
    async hashFrom(offset) {
      if (part?.from === offset) return part.hash.copy().digest('hex');
      const hash = createHash('sha256');
      for await (const piece of piecesOf(file, offset, index.length)) hash.update(piece);
      return hash.digest('hex');
    },
    async cut(length) {
      await file.truncate(length);
      await index.load(length);
      await index.forgetTimes();
      part = null;
    },
    async sync() {
      await index.sync();
      await file.sync();
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
    },
    read: (offset, most) => readAt(file, offset, Math.min(most, index.length - offset)),
    async close() {
      await file.close();
      await index.close();
    },
  };
}

/** Does nothing if there is no such log. */
export async function removeLogFile(path: string): Promise<void> {
  for (const kind of LOG_FILES) await rm(`${path}.${kind}`, { force: true });
}
