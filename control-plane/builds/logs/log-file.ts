// One build's log on disk: the bytes in {path}.log, its line index in {path}.lines.
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIfMissing, syncDirectory } from '../../platform/blobs/file-system.js';
import { createLineIndex, decodePoints } from './line-index.js';
import { createRecentPieces } from './recent-pieces.js';

/** Bytes read at a time when the file is gone through. */
const READ_PIECE = 256 * 1024;
/** Bytes between two points of the line index, at least. */
const STRETCH = 64 * 1024;
const LF = 0x0a;

/** Not for concurrent use: one call at a time. After a failed write the file must be opened anew. */
export interface LogFile {
  length(): number;
  lines(): number;
  endsWithLine(): boolean;
  /** The bytes must not be changed afterwards. */
  append(bytes: Buffer): Promise<void>;
  /** What is appended from now on is a part of its own; its hash is kept on the way. */
  beginPart(): void;
  /** SHA-256 of everything from an offset on. */
  hashFrom(offset: number): Promise<string>;
  /** Forgets everything from an offset on. */
  cut(length: number): Promise<void>;
  /** Makes everything durable, the file's name too. */
  sync(): Promise<void>;
  read(offset: number, length: number): Promise<Buffer>;
  /** What is still in memory from an offset on; null when nothing is. There may be more behind it. */
  recent(offset: number): Buffer | null;
  /** Offset at which line `line` (from 1) begins; the log's end when there is no such line. */
  lineStart(line: number): Promise<number>;
  close(): Promise<void>;
}

/** Null when there is no such log. */
export async function openLogFile(path: string): Promise<LogFile | null> {
  const file = await open(`${path}.log`, 'r+').catch(nullIfMissing);
  return file && logFile(path, file);
}

/** Fails when there is such a log. */
export async function makeLogFile(path: string): Promise<LogFile> {
  await mkdir(dirname(path), { recursive: true });
  return logFile(path, await open(`${path}.log`, 'wx+', 0o600));
}

async function logFile(path: string, file: FileHandle): Promise<LogFile> {
  const indexFile = await open(`${path}.lines`, constants.O_RDWR | constants.O_CREAT, 0o600);

  let index = createLineIndex(STRETCH);
  let indexBytes = 0;
  let part: { from: number; hash: Hash } | null = null;
  const recent = createRecentPieces();

  async function* pieces(from: number, to: number): AsyncGenerator<Buffer, void, undefined> {
    for (let at = from; at < to; at += READ_PIECE) {
      yield await readAt(file, at, Math.min(READ_PIECE, to - at));
    }
  }
  const keepPoints = async (points: Buffer) => {
    if (points.length === 0) return;
    await writeAt(indexFile, indexBytes, points);
    indexBytes += points.length;
  };
  /** Takes the index from its file and goes through what that does not cover. */
  const load = async () => {
    const { size } = await file.stat();
    const stored = await readAt(indexFile, 0, (await indexFile.stat()).size);
    let points = decodePoints(stored, size);
    const last = points.at(-1);
    // A power loss may have kept the index and lost part of the log that it describes.
    if (last && (await readAt(file, last.offset - 1, 1))[0] !== LF) points = [];
    index = createLineIndex(STRETCH, points);
    indexBytes = 0;
    await indexFile.truncate(0);
    await keepPoints(index.encoded());
    for await (const piece of pieces(index.length(), size)) await keepPoints(index.extend(piece));
    part = size === 0 ? { from: 0, hash: createHash('sha256') } : null;
  };

  try {
    await load();
  } catch (error) {
    await file.close();
    await indexFile.close();
    throw error;
  }

  return {
    length: () => index.length(),
    lines: () => index.lines(),
    endsWithLine: () => index.endsWithLine(),
    async append(bytes) {
      const offset = index.length();
      const written = writeAt(file, offset, bytes);
      // Hashing and indexing go on while the kernel takes the bytes.
      part?.hash.update(bytes);
      const points = index.extend(bytes);
      await written;
      await keepPoints(points);
      recent.add(offset, bytes);
    },
    beginPart() {
      part = { from: index.length(), hash: createHash('sha256') };
    },
    async hashFrom(offset) {
      if (part?.from === offset) return part.hash.copy().digest('hex');
      const hash = createHash('sha256');
      for await (const piece of pieces(offset, index.length())) hash.update(piece);
      return hash.digest('hex');
    },
    async cut(length) {
      recent.clear();
      await file.truncate(length);
      await load();
    },
    async sync() {
      await file.sync();
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
    },
    read: (offset, length) => readAt(file, offset, Math.min(length, index.length() - offset)),
    recent: recent.from,
    async lineStart(line) {
      if (line > index.lines()) return index.length();
      const point = index.before(line);
      let missing = line - 1 - point.lines;
      let offset = point.offset;
      for await (const piece of pieces(point.offset, index.length())) {
        let at = 0;
        for (; missing > 0; missing--) {
          const feed = piece.indexOf(LF, at);
          if (feed < 0) break;
          at = feed + 1;
        }
        if (missing === 0) return offset + at;
        offset += piece.length;
      }
      return offset;
    },
    async close() {
      await file.close();
      await indexFile.close();
    },
  };
}

/** Harmless when there is no such log. */
export async function removeLogFile(path: string): Promise<void> {
  await rm(`${path}.log`, { force: true });
  await rm(`${path}.lines`, { force: true });
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function writeAt(file: FileHandle, offset: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
  }
}
