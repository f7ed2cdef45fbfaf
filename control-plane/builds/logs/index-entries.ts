// The entries of a log's index as bytes: 28 each, the last four a checksum of the entry and of the log's name, so that the
// index of another log is recognized.
import { crc32 } from 'node:zlib';

export const ENTRY = 28;
const CRC_AT = 24;

/** The time of bytes whose arrival was not recorded. Later bytes have their own times. */
export const UNKNOWN = 0;
/** The same for bytes that are sent again: the bytes after them have no time either, until the service adds a line. */
export const STILL_UNKNOWN = 1;

/**
 * Maximum number of entries for lines of the service. Consecutive lines are one, so a correct host needs few; further
 * lines are not marked.
 */
export const MOST_OWNED = 10_000;
/** Shortest interval between two times, in ms: a time is at most this much too early. */
const INTERVAL_MS = 100;
/** An entry for about every so many bytes. */
const SPACING = 64 * 1024;

/** What the index records at an offset of a log. It applies up to the offset of the next entry. */
export interface IndexEntry {
  readonly offset: number;
  /** Line feeds before the offset. */
  readonly feeds: number;
  /** When the bytes arrived, in ms since the epoch, or UNKNOWN, or STILL_UNKNOWN. */
  readonly at: number;
  /** How many bytes from the offset on are lines of the service. */
  readonly own: number;
}

/** @param name the checksum of the log's name */
export function encodeEntries(entries: readonly IndexEntry[], name: number): Buffer {
  const bytes = Buffer.alloc(entries.length * ENTRY);
  entries.forEach(({ offset, feeds, at, own }, n) => {
    const start = n * ENTRY;
    for (const [i, value] of [offset, feeds, at, own].entries()) bytes.writeUIntBE(value, start + 6 * i, 6);
    bytes.writeUInt32BE(crc32(bytes.subarray(start, start + CRC_AT), name), start + CRC_AT);
  });
  return bytes;
}

/** Returns the `n`th entry of the bytes, which must be sound. */
export function entryIn(bytes: Buffer, n: number): IndexEntry {
  const start = n * ENTRY;
  return {
    offset: bytes.readUIntBE(start, 6),
    feeds: bytes.readUIntBE(start + 6, 6),
    at: bytes.readUIntBE(start + 12, 6),
    own: bytes.readUIntBE(start + 18, 6),
  };
}

/** Returns the `n`th entry of the bytes, or null if it is damaged or of another log. */
export function soundEntryIn(bytes: Buffer, n: number, name: number): IndexEntry | null {
  const start = n * ENTRY;
  const isSound = crc32(bytes.subarray(start, start + CRC_AT), name) === bytes.readUInt32BE(start + CRC_AT);
  return isSound ? entryIn(bytes, n) : null;
}

/** Returns whether bytes that arrive at an offset and a time need an entry, given the one before. */
export function isDue(last: IndexEntry, offset: number, at: number): boolean {
  // After a power loss the log may end inside of the service's line.
  if (offset < last.offset + last.own || offset >= last.offset + SPACING) return true;
  return at !== last.at && (at < last.at || at - last.at >= INTERVAL_MS);
}
