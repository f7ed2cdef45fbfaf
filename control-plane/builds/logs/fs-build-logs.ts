// Build logs in files.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import type { BuildLogs, LogBytes } from './build-logs.js';
import { readCharacters } from './log-characters.js';
import type { LogFile } from './log-file.js';
import { listLogs, logWrittenAt } from './log-folders.js';
import { createOpenLogs, type OpenLogsOptions } from './open-logs.js';

export interface FsBuildLogsOptions extends OpenLogsOptions {
  /** Hard limit of a log in bytes; hosts cut logs well below it. */
  readonly maxBytes: number;
  /** Called after every append to wake followers. */
  onAppend(buildId: string): void;
}

const READ_PIECE = 256 * 1024;

/**
 * @example
 * const logs = createFsBuildLogs({ root, maxOpen: 128, maxBytes: 128 * 2 ** 20, now: clock.now, onAppend: (id) => wake(id) });
 * await logs.append('rb_1', 0, Buffer.from('hello\n'));
 */
export function createFsBuildLogs(options: FsBuildLogsOptions): BuildLogs {
  const { pathOf, reading, writing, remove, close } = createOpenLogs(options);

  const append = async (buildId: string, log: LogFile, bytes: Buffer, service: readonly LogBytes[]) => {
    if (log.index.length + bytes.length > options.maxBytes) {
      throw new RangeError(`the log of ${buildId} would exceed ${options.maxBytes} bytes`);
    }
    await log.append(bytes, service);
    options.onAppend(buildId);
  };

  const size = (buildId: string) =>
    reading(buildId, async (log) => ({ length: log?.index.length ?? 0, lines: log?.index.lines() ?? 0 }));

  return {
    append: (buildId, offset, bytes, service = []) =>
      writing(buildId, async (log) => {
        const known = log.index.length - offset;
        if (known >= 0 && known < bytes.length) await append(buildId, log, bytes.subarray(known), service);
        return { length: log.index.length };
      }),
    appendLine: (buildId, line) =>
      writing(buildId, async (log) => {
        const bytes = Buffer.from(`${log.index.endsWithLine ? '' : '\n'}${line}\n`);
        const to = log.index.length + bytes.length;
        const own = { from: to - Buffer.byteLength(`${line}\n`), to };
        log.index.resumeTimes();
        await append(buildId, log, bytes, [own]);
        log.beginPart();
        await log.sync();
        return { length: log.index.length };
      }),
    finish: (buildId, part) =>
      writing(buildId, async (log) => {
        const wanted = await firstMissing(log, part);
        if (wanted !== null) return { complete: false, wanted };
        await log.sync();
        return { complete: true };
      }),
    async bytes(buildId) {
      return (await stat(`${pathOf(buildId)}.log`).catch(nullIfMissing))?.size ?? 0;
    },
    size,
    read: (buildId, offset, maxBytes, ended) =>
      reading(buildId, (log) =>
        readCharacters(log && { length: log.index.length, read: log.read }, offset, maxBytes, ended),
      ),
    lineStart: (buildId, line) =>
      reading(buildId, async (log) => {
        if (!log) return { offset: 0, length: 0, lines: 0 };
        const { index } = log;
        return { offset: await index.lineStart(line), length: index.length, lines: index.lines() };
      }),
    tailOffset: (buildId, lines) =>
      reading(buildId, async (log) => (log ? log.index.lineStart(Math.max(1, log.index.lines() - lines + 1)) : 0)),
    lineAt: (buildId, offset) => reading(buildId, async (log) => log?.index.lineAt(offset) ?? 1),
    origins: (buildId, from, to) =>
      reading(buildId, async (log) => log?.index.origins(from, to) ?? (() => ({ at: null, isOwn: false }))),
    async *stream(buildId, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      const { length } = await size(buildId);
      const stop = Math.min(end, length);
      if (start >= stop) return;
      yield* createReadStream(`${pathOf(buildId)}.log`, { start, end: stop - 1, highWaterMark: READ_PIECE });
    },
    address: async () => null,
    remove,
    list: () => listLogs(options.root),
    writtenAt: (buildId) => logWrittenAt(pathOf(buildId)),
    close,
  };
}

/** Returns null if the part is complete and unaltered, otherwise the offset from which it has to be resent. */
async function firstMissing(
  log: LogFile,
  part: { from: number; length: number; sha256: string },
): Promise<number | null> {
  const end = part.from + part.length;
  const { length } = log.index;
  if (length < end) return length;
  if (length === end && (await log.hashFrom(part.from)) === part.sha256) return null;
  await log.cut(part.from);
  log.beginPart();
  return part.from;
}
