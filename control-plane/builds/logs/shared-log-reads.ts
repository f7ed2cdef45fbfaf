// Reads build logs that several processes share, wherever they are at that time.
import type { ObjectStore } from '../../platform/blobs/object-store.js';
import type { StoredLog } from '../domain/stored-log.js';
import type { BuildLogs } from './build-logs.js';
import { lineAfter, lineStartAfter, originsIn, START } from './line-places.js';
import { readCharacters } from './log-characters.js';
import type { LogRows } from './log-rows.js';
import { LogMovedError, type LogSource } from './log-source.js';
import { linesOf } from './log-writing.js';

/** Builds that are listed at once. */
const LISTED = 500;
/** How often a log is looked for again because it moved meanwhile; it moves once in its life, and may be cut. */
const MOVES = 5;

type Reads = Omit<BuildLogs, 'append' | 'appendLine' | 'finish' | 'remove' | 'close'>;

export function createSharedLogReads(
  rows: LogRows,
  objects: Pick<ObjectStore, 'address'>,
  sourceOf: (log: StoredLog) => LogSource,
) {
  /** Runs `work` on the log as it is now, and again if it moves meanwhile. `source` is null if nothing was logged. */
  const reading = async <T>(buildId: string, work: (source: LogSource | null) => Promise<T>): Promise<T> => {
    for (let moves = 0; ; moves++) {
      const log = await rows.find(buildId);
      try {
        return await work(log && sourceOf(log));
      } catch (error) {
        if (!(error instanceof LogMovedError) || moves >= MOVES) throw error;
      }
    }
  };

  const startOf = async ({ log, markBelow, pieces }: LogSource, line: number): Promise<number> => {
    if (line > linesOf(log)) return log.length;
    if (line <= 1) return 0;
    const mark = (await markBelow(line - 1)) ?? START;
    return lineStartAfter(mark, line, pieces(mark.offset, log.length));
  };

  const reads: Reads = {
    bytes: async (buildId) => (await rows.find(checkedId(buildId)))?.length ?? 0,
    async size(buildId) {
      const log = await rows.find(checkedId(buildId));
      return { length: log?.length ?? 0, lines: log ? linesOf(log) : 0 };
    },
    read: (buildId, offset, maxBytes, ended) =>
      reading(buildId, (source) =>
        readCharacters(source && { length: source.log.length, read: source.read }, offset, maxBytes, ended),
      ),
    lineStart: (buildId, line) =>
      reading(buildId, async (source) => {
        if (!source) return { offset: 0, length: 0, lines: 0 };
        return { offset: await startOf(source, line), length: source.log.length, lines: linesOf(source.log) };
      }),
    tailOffset: (buildId, lines) =>
      reading(buildId, async (source) => (source ? startOf(source, Math.max(1, linesOf(source.log) - lines + 1)) : 0)),
    lineAt: (buildId, offset) =>
      reading(buildId, async (source) => {
        const mark = (await source?.markAt(offset)) ?? START;
        return source ? lineAfter(mark, source.pieces(mark.offset, Math.min(offset, source.log.length))) : 1;
      }),
    origins: (buildId, from, to) =>
      reading(buildId, async (source) => originsIn((await source?.entries(from, to)) ?? Buffer.alloc(0))),
    async *stream(buildId, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      let at = start;
      let stop: number | null = null;
      for (let moves = 0; ; moves++) {
        const log = await rows.find(buildId);
        // What was cut meanwhile is sent again by the host.
        stop = Math.min(stop ?? end, log?.length ?? 0);
        if (log === null || at >= stop) return;
        try {
          for await (const piece of sourceOf(log).pieces(at, stop)) {
            at += piece.length;
            yield piece;
          }
          return;
        } catch (error) {
          if (!(error instanceof LogMovedError) || moves >= MOVES) throw error;
        }
      }
    },
    async address(buildId, as) {
      const log = await rows.find(checkedId(buildId));
      return log?.objectHash && log.objectKey ? objects.address(log.objectKey, as) : null;
    },
    async *list() {
      for (let found = await rows.list('', LISTED); found.length > 0; ) {
        yield found;
        found = await rows.list(found.at(-1) ?? '', LISTED);
      }
    },
    writtenAt: async (buildId) => (await rows.find(buildId))?.writtenAt ?? null,
  };
  return { ...reads, reading };
}

const BUILD_ID = /^[A-Za-z0-9_-]{3,64}$/;

/** Returns the id. Throws TypeError if it is malformed. */
export function checkedId(buildId: string): string {
  if (!BUILD_ID.test(buildId)) throw new TypeError('malformed build id');
  return buildId;
}
