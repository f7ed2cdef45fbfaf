// Build logs that several processes share: rows in the database while their builds run, objects afterwards.
import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../platform/blobs/object-store.js';
import type { StoredLog } from '../domain/stored-log.js';
import { type BuildLogs, type LogBytes, LogClosedError } from './build-logs.js';
import { createByteCache } from './byte-cache.js';
import { createEndedLogs, type EndedLogs } from './ended-logs.js';
import type { LogChange, LogRows } from './log-rows.js';
import { createLogWriters, type LogWriter } from './log-writers.js';
import { appended, cutAfter, decoded, emptyLog } from './log-writing.js';
import { objectLog, objectsOf } from './object-log.js';
import { rowLog } from './row-log.js';
import { checkedId, createSharedLogReads } from './shared-log-reads.js';

export interface SharedBuildLogsOptions {
  readonly rows: LogRows;
  readonly objects: ObjectStore;
  /** Hard limit of a log in bytes; hosts cut logs well below it. */
  readonly maxBytes: number;
  /** Logs that are remembered at the same time. */
  readonly maxOpen: number;
  /** The time at which bytes arrive, in ms since the epoch. */
  now(): number;
  /** The time of the system, in ms since the epoch. */
  systemNow(): number;
  /** Called after every append to wake followers, in all processes. */
  onAppend(buildId: string): void;
}

/** Bytes of indexes and small logs that are kept for readers. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** How often a change is tried that those of another process come before. */
const TRIES = 20;

interface Writing {
  readonly buildId: string;
  readonly attempt: number | null;
}

/**
 * @example
 * const { logs, ended } = createSharedBuildLogs({ rows: createLogRows(store), objects, … });
 * await logs.append('rb_1', 0, Buffer.from('hello\n'), [], 1);
 */
export function createSharedBuildLogs(options: SharedBuildLogsOptions): { logs: BuildLogs; ended: EndedLogs } {
  const { rows, objects, maxBytes, now, onAppend } = options;
  const cache = createByteCache(CACHE_BYTES);
  const { writing, close } = createLogWriters(options.maxOpen);
  const { reading, ...readMethods } = createSharedLogReads(rows, objects, (log) =>
    log.objectHash === null ? rowLog(rows, log) : objectLog(objects, cache, log),
  );

  /** Stores a change. Returns the log after it, or null if it has to be made again of another version of the log. */
  const store = async (of: Writing, before: StoredLog | null, made: Pick<LogChange, 'after' | 'add' | 'cutAt'>) => {
    if (before !== null && before.objectKey !== null) throw new LogClosedError(of.buildId);
    const after = { ...made.after, writtenAt: options.systemNow() };
    if (await rows.change({ ...made, before, after, attempt: of.attempt })) return after;
    const found = await rows.find(of.buildId);
    const isClosed = found !== null && found.objectKey !== null;
    if (isClosed || (of.attempt !== null && !(await rows.isRunning(of.buildId, of.attempt))))
      throw new LogClosedError(of.buildId);
    return null;
  };

  const known = async (buildId: string, writer: LogWriter): Promise<StoredLog | null> => {
    if (writer.log === null) writer.learn(await rows.find(buildId));
    return writer.log;
  };

  const grow = async (of: Writing, writer: LogWriter, log: StoredLog, bytes: Buffer, service: readonly LogBytes[]) => {
    if (log.length + bytes.length > maxBytes)
      throw new RangeError(`the log of ${of.buildId} would exceed ${maxBytes} bytes`);
    const after = await store(of, writer.log, appended(log, bytes, service, now()));
    if (after === null) return null;
    writer.grew(after, bytes);
    onAppend(of.buildId);
    return { length: after.length };
  };

  const append = (of: Writing, offset: number, bytes: Buffer, service: readonly LogBytes[]) =>
    writing(of.buildId, (writer) => {
      // Only the next bytes are expected. For others, another process may know better.
      if (writer.log?.length !== offset || bytes.length === 0) writer.forget();
      return insisting(of, writer, async () => {
        const log = (await known(of.buildId, writer)) ?? emptyLog(of.buildId);
        const repeated = log.length - offset;
        if (repeated < 0 || repeated >= bytes.length) return { length: log.length };
        return grow(of, writer, log, bytes.subarray(repeated), service);
      });
    });

  const appendLine = (of: Writing, line: string) =>
    writing(of.buildId, (writer) =>
      insisting(of, writer, async () => {
        const log = { ...((await known(of.buildId, writer)) ?? emptyLog(of.buildId)), isResent: false };
        const text = Buffer.from(`${line}\n`);
        const bytes = log.endsWithLine ? text : Buffer.concat([Buffer.from('\n'), text]);
        const to = log.length + bytes.length;
        const grown = await grow(of, writer, log, bytes, [{ from: to - text.length, to }]);
        if (grown !== null) writer.beginPart(grown.length);
        return grown;
      }),
    );

  const hashFrom = async (buildId: string, writer: LogWriter, from: number) => {
    const hash = createHash('sha256');
    return (
      writer.hashFrom(from) ??
      reading(buildId, async (source) => {
        if (source) for await (const piece of source.pieces(from, source.log.length)) hash.update(piece);
        return hash.digest('hex');
      })
    );
  };

  const cut = async (of: Writing, writer: LogWriter, log: StoredLog, length: number) => {
    const [last = null] = length === 0 ? [] : await rows.pieces(of.buildId, length - 1, length);
    const before = await rows.entries(of.buildId, 0, length);
    const entries = before.at(-1) ?? Buffer.alloc(0);
    const owned = before.flatMap((some) => [...decoded(some)]).filter(({ own, offset }) => own > 0 && offset < length);
    const after = await store(of, log, cutAfter(log, length, last && { ...last, entries }, owned.length));
    if (after === null) return null;
    writer.learn(after);
    writer.beginPart(length);
    return { complete: false as const, wanted: length };
  };

  const logs: BuildLogs = {
    append: (buildId, offset, bytes, service = [], attempt = undefined) =>
      append(checked(buildId, attempt), offset, bytes, service),
    appendLine: (buildId, line, attempt) => appendLine(checked(buildId, attempt), line),
    finish: (buildId, part, attempt) => {
      const of = checked(buildId, attempt);
      return writing(buildId, (writer) =>
        insisting(of, writer, async () => {
          writer.learn(await rows.find(buildId));
          const { log } = writer;
          const length = log?.length ?? 0;
          if (length < part.from + part.length) return { complete: false as const, wanted: length };
          const isLong = length === part.from + part.length;
          if (isLong && (await hashFrom(buildId, writer, part.from)) === part.sha256)
            return { complete: true as const };
          return cut(of, writer, log ?? emptyLog(buildId), part.from);
        }),
      );
    },
    ...readMethods,
    remove: (buildId) =>
      writing(checked(buildId).buildId, async (writer) => {
        writer.forget();
        const log = await rows.find(buildId);
        if (log === null) return;
        while (await rows.dropPieces(buildId));
        // The row names the objects until they are gone.
        await objects.delete(objectsOf(log));
        await rows.remove(buildId);
      }),
    close,
  };
  return { logs, ended: createEndedLogs({ rows, objects, systemNow: options.systemNow }) };
}

function checked(buildId: string, attempt?: number): Writing {
  return { buildId: checkedId(buildId), attempt: attempt ?? null };
}

/** Tries `work` until it has its result; null: the log was changed by another process. */
async function insisting<T>({ buildId }: Writing, writer: LogWriter, work: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await work();
    if (result !== null) return result;
    writer.forget();
  }
  throw new Error(`the log of ${buildId} is changed by another process all the time`);
}
