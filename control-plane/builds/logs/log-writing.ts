// What a log becomes when bytes are appended to it, as rows.
import { crc32 } from 'node:zlib';
import { type LogPiece, PIECE_BYTES, type StoredLog } from '../domain/stored-log.js';
import type { LogBytes } from './build-logs.js';
import { ENTRY, encodeEntries, entryIn, type IndexEntry, isDue, MOST_OWNED, STILL_UNKNOWN } from './index-entries.js';
import { feedsIn } from './line-places.js';

const LF = 0x0a;

export const emptyLog = (buildId: string): StoredLog => ({
  buildId,
  version: 0,
  length: 0,
  feeds: 0,
  endsWithLine: true,
  isResent: false,
  owned: 0,
  writtenAt: 0,
  objectKey: null,
  objectHash: null,
  indexBytes: 0,
  hasPieces: false,
});

export const linesOf = ({ feeds, endsWithLine }: Pick<StoredLog, 'feeds' | 'endsWithLine'>): number =>
  endsWithLine ? feeds : feeds + 1;

export interface Appended {
  readonly after: StoredLog;
  readonly add: readonly LogPiece[];
}

/**
 * Appends bytes, at least one.
 *
 * @param service byte ranges of the log
 * @param at when they arrived
 */
export function appended(log: StoredLog, bytes: Buffer, service: readonly LogBytes[], at: number): Appended {
  const own = ownRanges(log, bytes.length, service);
  const time = log.isResent ? STILL_UNKNOWN : at;
  const add: LogPiece[] = [];
  let { feeds, owned } = log;
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const part = bytes.subarray(from, from + PIECE_BYTES);
    const start = log.length + from;
    const entries = entriesOf(part, { start, feeds, at: time }, own);
    owned += entries.filter((entry) => entry.own > 0).length;
    add.push({ buildId: log.buildId, start, feeds, bytes: part, entries: encoded(log.buildId, entries) });
    feeds += feedsIn(part);
  }
  const after = {
    ...log,
    version: log.version + 1,
    length: log.length + bytes.length,
    feeds,
    owned,
    endsWithLine: bytes.at(-1) === LF,
    hasPieces: true,
  };
  return { after, add };
}

/**
 * Cuts the log after its first `length` bytes.
 *
 * @param last the piece that the last remaining byte is in; null if none remains
 * @param owned entries that mark lines of the service before the cut
 */
export function cutAfter(
  log: StoredLog,
  length: number,
  last: LogPiece | null,
  owned: number,
): Appended & { readonly cutAt: number } {
  const kept = last?.bytes.subarray(0, length - last.start) ?? Buffer.alloc(0);
  const after = {
    ...log,
    version: log.version + 1,
    length,
    feeds: (last?.feeds ?? 0) + feedsIn(kept),
    endsWithLine: length === 0 || kept.at(-1) === LF,
    isResent: true,
    owned,
  };
  if (last === null || kept.length === last.bytes.length) return { after, add: [], cutAt: length };
  const entries = [...decoded(last.entries)].filter(({ offset }) => offset < length);
  const rest = { ...last, bytes: kept, entries: encoded(log.buildId, entries) };
  return { after, add: [rest], cutAt: last.start };
}

/** Returns the ranges within the appended bytes, without overlaps. */
function ownRanges({ length, owned }: StoredLog, size: number, service: readonly LogBytes[]): LogBytes[] {
  const ranges: LogBytes[] = [];
  let done = length;
  for (const range of service) {
    const from = Math.max(range.from, done);
    const to = Math.min(range.to, length + size);
    if (from >= to || owned + ranges.length >= MOST_OWNED) continue;
    ranges.push({ from, to });
    done = to;
  }
  return ranges;
}

/** Returns the entries for a piece: for its first byte, for each range of the service, and for what follows one. */
function entriesOf(
  bytes: Buffer,
  { start, feeds, at }: { readonly start: number; readonly feeds: number; readonly at: number },
  own: readonly LogBytes[],
): IndexEntry[] {
  const end = start + bytes.length;
  const entries: IndexEntry[] = [];
  let counted = start;
  let soFar = feeds;
  for (const range of own) {
    const from = Math.max(range.from, start);
    const to = Math.min(range.to, end);
    if (from >= to) continue;
    if (entries.length === 0 && from > start) entries.push({ offset: start, feeds, at, own: 0 });
    soFar += feedsIn(bytes.subarray(counted - start, from - start));
    counted = from;
    entries.push({ offset: from, feeds: soFar, at, own: to - from });
  }
  return entries.length > 0 ? entries : [{ offset: start, feeds, at, own: 0 }];
}

export const encoded = (buildId: string, entries: readonly IndexEntry[]): Buffer =>
  encodeEntries(entries, crc32(buildId));

export function* decoded(bytes: Buffer): Generator<IndexEntry, void, undefined> {
  for (let n = 0; (n + 1) * ENTRY <= bytes.length; n++) yield entryIn(bytes, n);
}

/** Makes the index of a whole log from the entries of its pieces: as sparse as it may be. */
export function createSparseIndex(buildId: string) {
  const blocks: Buffer[] = [];
  let last: IndexEntry | null = null;
  return {
    add(entries: Buffer): void {
      const kept: IndexEntry[] = [];
      for (const entry of decoded(entries)) {
        if (last !== null && entry.own === 0 && !isDue(last, entry.offset, entry.at)) continue;
        kept.push(entry);
        last = entry;
      }
      if (kept.length > 0) blocks.push(encoded(buildId, kept));
    },
    bytes: (): Buffer => Buffer.concat(blocks),
  };
}
