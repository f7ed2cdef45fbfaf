// An ended log as two objects: its bytes, and beside them its index.
import type { ObjectStore } from '../../platform/blobs/object-store.js';
import type { StoredLog } from '../domain/stored-log.js';
import type { ByteCache } from './byte-cache.js';
import { ENTRY, entryIn, type IndexEntry } from './index-entries.js';
import { LogMovedError, type LogSource } from './log-source.js';

/** A log of at most so many bytes is read whole, and kept for a while: a page of the console asks for it several times. */
const SMALL = 256 * 1024;

export const indexKey = (objectKey: string): string => `${objectKey}.index`;

/** Returns the keys of a log's objects, which need not exist yet. */
export const objectsOf = ({ objectKey }: Pick<StoredLog, 'objectKey'>): string[] =>
  objectKey === null ? [] : [objectKey, indexKey(objectKey)];

export function objectLog(objects: ObjectStore, cache: ByteCache, log: StoredLog): LogSource {
  const key = log.objectKey ?? '';
  const whole = (name: string, size: number) =>
    cache.get(name, async () => {
      if (size === 0) return Buffer.alloc(0);
      const bytes = await joined(await opened(name, 0, size));
      if (bytes.length !== size) throw new Error(`the object ${name} has ${bytes.length} bytes, not ${size}`);
      return bytes;
    });
  const opened = (name: string, start: number, end: number) => objects.open(name, { start, end }).catch(movedIfMissing);
  const index = () => whole(indexKey(key), log.indexBytes);
  const lastThat = async (holds: (entry: IndexEntry) => boolean): Promise<IndexEntry | null> => {
    const bytes = await index();
    const count = countThat(bytes, holds);
    return count === 0 ? null : entryIn(bytes, count - 1);
  };
  return {
    log,
    async read(offset, most) {
      const end = Math.min(offset + most, log.length);
      if (offset >= end) return Buffer.alloc(0);
      if (log.length <= SMALL) return (await whole(key, log.length)).subarray(offset, end);
      return joined(await opened(key, offset, end));
    },
    async *pieces(from, to) {
      if (from >= to) return;
      if (log.length <= SMALL) yield (await whole(key, log.length)).subarray(from, to);
      else yield* (await opened(key, from, to)) as AsyncIterable<Buffer>;
    },
    markBelow: (below) => lastThat(({ feeds }) => feeds < below),
    markAt: (at) => lastThat(({ offset }) => offset <= at),
    async entries(from, to) {
      const bytes = await index();
      const first = Math.max(0, countThat(bytes, ({ offset }) => offset <= from) - 1);
      return bytes.subarray(first * ENTRY, countThat(bytes, ({ offset }) => offset < to) * ENTRY);
    },
  };
}

function movedIfMissing(error: unknown): never {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  throw isMissing ? new LogMovedError(error.message, { cause: error }) : error;
}

async function joined(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** Returns how many entries meet a condition that all entries before one that meets it meet too. */
function countThat(bytes: Buffer, holds: (entry: IndexEntry) => boolean): number {
  let low = 0;
  let high = bytes.length / ENTRY;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(entryIn(bytes, middle))) low = middle + 1;
    else high = middle;
  }
  return low;
}
