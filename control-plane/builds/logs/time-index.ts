// When the bytes of a log arrived: a file of records that grows with the log. A record says from which offset on bytes
// arrived at which time; it holds up to the offset of the next one. Bytes without a record have no known time.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import type { LogTimes } from './build-logs.js';
import { readAt, writeAt } from './file-bytes.js';

/** Offset and time of six bytes each, and a checksum of both. */
const RECORD = 16;
const CRC_AT = 12;
/** Shortest interval between two records, in ms: a time is at most this much too early. */
const INTERVAL_MS = 100;
/** Records that are read at once. */
const BLOCK = 4096;
/** The time of a record from which on times are unknown, until the service itself adds a line. */
const UNKNOWN = 0;

interface TimeRecord {
  readonly offset: number;
  /** Milliseconds since the epoch, or UNKNOWN. */
  readonly at: number;
}

/** Not for concurrent use. */
export interface TimeIndex {
  /** Loads the index from disk, without records beyond a log of this size. */
  load(size: number): Promise<void>;
  /** Notes that bytes from `offset` on arrived at a time. */
  add(offset: number, at: number): Promise<void>;
  /** Ends a stretch of unknown times. The next `add` is recorded in any case. */
  resume(): void;
  /** Removes the times from an offset on, and those of everything that is sent again in its place. */
  forget(offset: number): Promise<void>;
  /** Returns the times of the bytes between two offsets. */
  between(from: number, to: number): Promise<LogTimes>;
  close(): Promise<void>;
}

export function createTimeIndex(path: string): TimeIndex {
  let file: FileHandle | null = null;
  let records = 0;
  let last: TimeRecord | null = null;

  const store = async (record: TimeRecord) => {
    file ??= await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await writeAt(file, records * RECORD, encode([record]));
    records++;
    last = record;
  };
  const recordAt = async (n: number): Promise<TimeRecord | null> =>
    file && decodeRecord(await readAt(file, n * RECORD, RECORD));
  /** Returns the number of records that begin at or before an offset. */
  const countTo = async (offset: number) => {
    let low = 0;
    let high = records;
    while (low < high) {
      const middle = (low + high) >> 1;
      const record = await recordAt(middle);
      if (record !== null && record.offset <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const keepOnly = async (count: number) => {
    records = count;
    last = count === 0 ? null : await recordAt(count - 1);
    await file?.truncate(count * RECORD);
  };

  return {
    async load(size) {
      file ??= await open(path, 'r+').catch(nullIfMissing);
      if (file === null) return;
      const bytes = await readAt(file, 0, (await file.stat()).size);
      const sound = repaired(bytes).filter(({ offset }) => offset < size);
      const kept = encode(sound);
      if (!kept.equals(bytes)) {
        await writeAt(file, 0, kept);
        await file.truncate(kept.length);
      }
      records = sound.length;
      last = sound.at(-1) ?? null;
    },
    async add(offset, at) {
      if (last?.at === UNKNOWN || (last && at >= last.at && at - last.at < INTERVAL_MS)) return;
      await store({ offset, at });
    },
    resume() {
      last = null;
    },
    async forget(offset) {
      await keepOnly(await countTo(offset - 1));
      await store({ offset, at: UNKNOWN });
    },
    async between(from, to) {
      const found: TimeRecord[] = [];
      const first = Math.max(0, (await countTo(from)) - 1);
      for (let n = first; file && n < records; n += BLOCK) {
        const block = decode(await readAt(file, n * RECORD, Math.min(BLOCK, records - n) * RECORD));
        found.push(...block.filter(({ offset }) => offset < to));
        if ((block.at(-1)?.offset ?? to) >= to) break;
      }
      return timesOf(found);
    },
    close: async () => file?.close(),
  };
}

/** Offsets must be asked for in ascending order. */
function timesOf(records: readonly TimeRecord[]): LogTimes {
  let next = 0;
  return (offset) => {
    while (next < records.length && (records[next]?.offset ?? 0) <= offset) next++;
    const at = records[next - 1]?.at ?? UNKNOWN;
    return at === UNKNOWN ? null : at;
  };
}

/**
 * Returns the records of a file in order. In the place of damaged ones it has one from which on times are unknown; an
 * incomplete one at the end was never finished and is dropped.
 */
function repaired(bytes: Buffer): TimeRecord[] {
  const records: TimeRecord[] = [];
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    const record = decodeRecord(bytes.subarray(at, at + RECORD));
    const before = records.at(-1);
    if (record && record.offset > (before?.offset ?? -1)) records.push(record);
    else if (before && before.at !== UNKNOWN) records.push({ offset: before.offset + 1, at: UNKNOWN });
  }
  return records;
}

function encode(records: readonly TimeRecord[]): Buffer {
  const bytes = Buffer.alloc(records.length * RECORD);
  records.forEach(({ offset, at }, n) => {
    bytes.writeUIntBE(offset, n * RECORD, 6);
    bytes.writeUIntBE(at, n * RECORD + 6, 6);
    bytes.writeUInt32BE(crc32(bytes.subarray(n * RECORD, n * RECORD + CRC_AT)), n * RECORD + CRC_AT);
  });
  return bytes;
}

function decode(bytes: Buffer): TimeRecord[] {
  const records: TimeRecord[] = [];
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    const record = decodeRecord(bytes.subarray(at, at + RECORD));
    if (record) records.push(record);
  }
  return records;
}

/** Returns null for bytes that are not a complete, unaltered record. */
function decodeRecord(bytes: Buffer): TimeRecord | null {
  if (bytes.length < RECORD || crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32BE(CRC_AT)) return null;
  return { offset: bytes.readUIntBE(0, 6), at: bytes.readUIntBE(6, 6) };
}
