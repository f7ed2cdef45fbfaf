// The search index of a log: for each stretch between two points of the line index, a filter that tells which texts the
// stretch does not contain. It is a separate file that grows as stretches are completed. Missing or damaged parts are
// rebuilt from the log.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import { LONGEST_WHOLE } from '../domain/log-search.js';
import { mayHold, trigramFilter, trigramsOf } from '../domain/log-trigrams.js';
import type { LogRange } from './build-logs.js';
import { readAt, writeAt } from './file-bytes.js';
import type { LinePoint } from './line-index.js';

const READ_PIECE = 256 * 1024;
/** Entry header: the log offset at which its stretch ends, the filter's length in bytes, and a checksum. */
const HEADER = 12;
const SIZE_AT = 6;
const CRC_AT = 8;

interface Entry {
  /** Offset in the log. */
  readonly end: number;
  readonly filter: Buffer;
}

/** Not for concurrent use. `points` are always all points of the line index. */
export interface SearchIndex {
  /** Loads the index from disk and truncates what does not match the points. */
  load(points: readonly LinePoint[]): Promise<void>;
  /** Adds the stretches completed since the last call. */
  extend(points: readonly LinePoint[]): Promise<void>;
  /** Returns the ranges of the log that may contain the text, in order; each begins at a line start. */
  rangesWith(text: string, points: readonly LinePoint[], length: number): Promise<LogRange[]>;
  close(): Promise<void>;
}

/** @param filterBytes largest filter of one stretch */
export function createSearchIndex(path: string, log: FileHandle, filterBytes: number): SearchIndex {
  let file: FileHandle | null = null;
  /** Number of entries in the file, and their size in bytes. */
  let entries = 0;
  let bytes = 0;

  const filterOf = async (start: number, end: number) =>
    // A longer stretch may contain a line that a search reads in parts.
    end - start > LONGEST_WHOLE
      ? Buffer.alloc(0)
      : trigramFilter(await readAt(log, start, end - start), filterBytes);
  const extend = async (points: readonly LinePoint[]) => {
    for (; entries + 1 < points.length; entries++) {
      const [from, to] = points.slice(entries, entries + 2) as [LinePoint, LinePoint];
      const filter = await filterOf(from.offset, to.offset);
      const entry = encodeEntry({ end: to.offset, filter });
      file ??= await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      await writeAt(file, bytes, entry);
      bytes += entry.length;
    }
  };

  return {
    async load(points) {
      file ??= await open(path, 'r+').catch(nullIfMissing);
      entries = 0;
      bytes = 0;
      if (file === null) return;
      for await (const { end, filter } of readEntries(file)) {
        if (end !== points[entries + 1]?.offset) break;
        entries++;
        bytes += HEADER + filter.length;
      }
      if ((await file.stat()).size === bytes) return;
      await file.truncate(bytes);
      // Bytes appended from here on may differ from those that were indexed.
      await file.datasync();
    },
    extend,
    async rangesWith(text, points, length) {
      const trigrams = trigramsOf(text);
      if (trigrams.length === 0) return [{ start: 0, end: length, firstLine: 1 }];
      await extend(points);
      const ranges: LogRange[] = [];
      let at = 0;
      const add = () => {
        const { offset: start, lines } = points[at] as LinePoint;
        const end = points[at + 1]?.offset ?? length;
        const last = ranges.at(-1);
        if (last?.end === start) last.end = end;
        else ranges.push({ start, end, firstLine: lines + 1 });
      };
      for await (const { filter } of readEntries(file)) {
        if (mayHold(filter, trigrams)) add();
        at++;
      }
      // The last stretch has no filter yet.
      for (; at < points.length; at++) add();
      return ranges;
    },
    close: async () => file?.close(),
  };
}

/** Returns the entries of an index file up to the first incomplete one. */
async function* readEntries(file: FileHandle | null): AsyncGenerator<Entry, void, undefined> {
  if (file === null) return;
  for (let offset = 0; ; ) {
    const piece = await readAt(file, offset, READ_PIECE);
    let at = 0;
    for (let entry = decodeEntry(piece); entry; entry = decodeEntry(piece.subarray(at))) {
      yield entry;
      at += HEADER + entry.filter.length;
    }
    if (at === 0) return;
    offset += at;
  }
}

function encodeEntry({ end, filter }: Entry): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(HEADER), filter]);
  bytes.writeUIntBE(end, 0, 6);
  bytes.writeUInt16BE(filter.length, SIZE_AT);
  bytes.writeUInt32BE(checksumOf(bytes), CRC_AT);
  return bytes;
}

/** Returns null if the bytes do not begin with a complete entry. */
function decodeEntry(bytes: Buffer): Entry | null {
  if (bytes.length < HEADER) return null;
  const end = HEADER + bytes.readUInt16BE(SIZE_AT);
  if (bytes.length < end) return null;
  const entry = bytes.subarray(0, end);
  if (checksumOf(entry) !== entry.readUInt32BE(CRC_AT)) return null;
  return { end: entry.readUIntBE(0, 6), filter: entry.subarray(HEADER) };
}

const checksumOf = (entry: Buffer): number => crc32(entry.subarray(HEADER), crc32(entry.subarray(0, CRC_AT)));
