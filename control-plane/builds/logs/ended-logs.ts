// Moves the log of an ended build from the database into objects. Every step may be the last one of a killed process: until
// the row says that the objects are complete, the pieces are what is read; afterwards they are only deleted.
import { createHash, randomBytes } from 'node:crypto';
import type { ObjectStore } from '../../platform/blobs/object-store.js';
import type { StoredLog } from '../domain/stored-log.js';
import type { LogRows } from './log-rows.js';
import { LogMovedError } from './log-source.js';
import { createSparseIndex } from './log-writing.js';
import { indexKey, objectsOf } from './object-log.js';
import { rowLog } from './row-log.js';

export interface EndedLogsOptions {
  readonly rows: LogRows;
  readonly objects: ObjectStore;
  systemNow(): number;
}

export interface EndedLogs {
  /** Returns logs of ended builds that still have pieces in the database. */
  find(after: string, limit: number): Promise<readonly StoredLog[]>;
  /**
   * Moves one. Does nothing if another process has done it, or does so.
   *
   * @throws BlobError `away`; then the log stays in the database
   */
  move(log: StoredLog): Promise<void>;
}

export function createEndedLogs({ rows, objects, systemNow }: EndedLogsOptions): EndedLogs {
  const changed = async (before: StoredLog, fields: Partial<StoredLog>): Promise<StoredLog | null> => {
    const after = { ...before, ...fields, version: before.version + 1, writtenAt: systemNow() };
    return (await rows.change({ before, after, attempt: null })) ? after : null;
  };

  /** Writes both objects, and returns what the row says of them. */
  const write = async (log: StoredLog, key: string): Promise<Partial<StoredLog>> => {
    const hash = createHash('sha256');
    const index = createSparseIndex(log.buildId);
    const source = rowLog(rows, log);
    const stored = await objects.put(key, hashed(source.pieces(0, log.length), hash));
    const objectHash = hash.digest('hex');
    if (stored.size !== log.length || stored.sha256 !== objectHash)
      throw new Error(`the object of the log of ${log.buildId} is not the log`);
    for await (const entries of entriesOf(rows, log)) index.add(entries);
    const bytes = index.bytes();
    await objects.put(indexKey(key), bytes, { size: bytes.length, sha256: sha256(bytes) });
    for (const [name, size] of [[key, log.length] as const, [indexKey(key), bytes.length] as const])
      if ((await objects.stat(name))?.size !== size) throw new Error(`the object ${name} is not there`);
    return { objectHash, indexBytes: bytes.length };
  };

  const store = async (log: StoredLog): Promise<StoredLog | null> => {
    // A row that was named before is written again under the same key: the bytes are the same.
    const named = log.objectKey === null ? await changed(log, { objectKey: newLogKey() }) : log;
    if (named === null || named.objectKey === null) return null;
    const written = await write(named, named.objectKey);
    const stored = await changed(named, written);
    // The log was deleted meanwhile, with the objects that there were.
    if (stored === null && (await rows.find(log.buildId)) === null) await objects.delete(objectsOf(named));
    return stored;
  };

  return {
    find: (after, limit) => rows.ended(after, limit),
    async move(log) {
      try {
        const stored = log.objectHash === null ? await store(log) : log;
        if (stored === null) return;
      } catch (error) {
        // Another process was faster, and has deleted pieces.
        if (error instanceof LogMovedError) return;
        throw error;
      }
      while (await rows.dropPieces(log.buildId));
    },
  };
}

/** Two hexadecimal digits first, so that a folder has few entries. */
export const newLogKey = () => {
  const name = randomBytes(16).toString('hex');
  return `logs/${name.slice(0, 2)}/${name}`;
};

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function* hashed(pieces: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>) {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** Bytes of a log whose entries are read at once. */
const STEP = 4 * 1024 * 1024;

async function* entriesOf(rows: LogRows, log: StoredLog): AsyncGenerator<Buffer, void, undefined> {
  // A piece that two steps have in common is read in the first.
  for (let from = 0; from < log.length; from += STEP) {
    const found = await rows.entriesFrom(log.buildId, from, from + STEP);
    yield* found;
  }
}
