// Build logs in files: {root}/{last two characters of the id}/{build id}.log. A limited number stays open.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { countOf } from '../../../shared/count.js';
import { incompleteTail, isContinuation } from '../../../shared/utf8.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { BuildLogs } from './build-logs.js';
import { type LogFile, makeLogFile, openLogFile, removeLogFile } from './log-file.js';
import { forwardToCharacter } from './utf8-boundary.js';

export interface FsBuildLogsOptions {
  root: string;
  /** Logs kept open at the same time. */
  maxOpen: number;
  /** Bytes no log may exceed, whatever a host sends: hosts cut logs themselves, well below. */
  maxBytes: number;
  /** Called after every append, for those who follow the log. */
  onAppend(buildId: string): void;
}

interface Entry {
  log: LogFile | null;
  /** Ends when everything asked for so far is done. */
  tail: Promise<void>;
  users: number;
}

const BUILD_ID = /^[A-Za-z0-9_-]{3,64}$/;
const READ_PIECE = 256 * 1024;
/** Longest character of UTF-8, less one: how far a cut may have to move. */
const REACH = 3;

/**
 * @example
 * const logs = createFsBuildLogs({ root, maxOpen: 128, maxBytes: 128 * 2 ** 20, onAppend: (id) => wake(id) });
 * await logs.append('rb_1', 0, Buffer.from('hello\n'));
 */
export function createFsBuildLogs(options: FsBuildLogsOptions): BuildLogs {
  const entries = new Map<string, Entry>();

  const pathOf = (buildId: string) => {
    if (!BUILD_ID.test(buildId)) throw new TypeError('malformed build id');
    return join(options.root, buildId.slice(-2), buildId);
  };

  /** Runs `work` after everything asked of this log before. */
  const exclusively = <T>(buildId: string, work: (entry: Entry, path: string) => Promise<T>): Promise<T> => {
    const path = pathOf(buildId);
    const entry = entries.get(buildId) ?? { log: null, tail: Promise.resolve(), users: 0 };
    // Last in the map is what was used last.
    entries.delete(buildId);
    entries.set(buildId, entry);
    entry.users++;
    const result = entry.tail.then(async () => {
      try {
        return await work(entry, path);
      } catch (error) {
        // A failed write leaves the file and what is known of it apart.
        if (!(error instanceof ApiError)) await reopenNextTime(entry);
        throw error;
      } finally {
        entry.users--;
      }
    });
    entry.tail = result.then(closeIdle, closeIdle);
    return result;
  };
  /** `log` is null when nothing was logged. */
  const reading = <T>(buildId: string, work: (log: LogFile | null) => Promise<T>): Promise<T> =>
    exclusively(buildId, async (entry, path) => {
      entry.log ??= await openLogFile(path);
      return work(entry.log);
    });
  const writing = <T>(buildId: string, work: (log: LogFile) => Promise<T>): Promise<T> =>
    exclusively(buildId, async (entry, path) => {
      entry.log ??= (await openLogFile(path)) ?? (await makeLogFile(path));
      return work(entry.log);
    });
  const reopenNextTime = async (entry: Entry) => {
    const { log } = entry;
    entry.log = null;
    await log?.close();
  };
  const closeIdle = async () => {
    for (const [buildId, entry] of entries) {
      if (entries.size <= options.maxOpen) return;
      if (entry.users > 0) continue;
      entries.delete(buildId);
      await reopenNextTime(entry);
    }
  };

  const append = async (buildId: string, log: LogFile, bytes: Buffer) => {
    if (log.length() + bytes.length > options.maxBytes) {
      throw new RangeError(`the log of ${buildId} would exceed ${options.maxBytes} bytes`);
    }
    await log.append(bytes);
    options.onAppend(buildId);
  };

  const size = (buildId: string) =>
    reading(buildId, async (log) => ({ length: log?.length() ?? 0, lines: log?.lines() ?? 0 }));

  return {
    append: (buildId, offset, bytes) =>
      writing(buildId, async (log) => {
        const known = log.length() - offset;
        if (known >= 0 && known < bytes.length) await append(buildId, log, bytes.subarray(known));
        return { length: log.length() };
      }),
    appendLine: (buildId, line) =>
      writing(buildId, async (log) => {
        await append(buildId, log, Buffer.from(`${log.endsWithLine() ? '' : '\n'}${line}\n`));
        log.beginPart();
        await log.sync();
        return { length: log.length() };
      }),
    finish: (buildId, part) =>
      writing(buildId, async (log) => {
        const wanted = await firstMissing(log, part);
        if (wanted !== null) return { complete: false, wanted };
        await log.sync();
        return { complete: true };
      }),
    size,
    read: (buildId, offset, maxBytes, ended) =>
      reading(buildId, async (log) => {
        const length = log?.length() ?? 0;
        if (offset > length) {
          throw new ApiError('invalid_offset', {
            message: `The log has ${countOf(length, 'byte')}.`,
            detail: { length },
          });
        }
        if (!log) return { data: Buffer.alloc(0), offset, nextOffset: offset, length };
        const recent = wholeFrom(log.recent(offset));
        const before = recent ? 0 : Math.min(REACH, offset);
        const bytes = recent ?? (await log.read(offset - before, before + maxBytes + REACH));
        const start = before + forwardToCharacter(bytes, before);
        const whole = bytes.subarray(start, start + maxBytes);
        const atEnd = offset - before + start + whole.length >= length;
        const cut = ended && atEnd ? 0 : incompleteTail(whole);
        const data = whole.subarray(0, whole.length - cut);
        const from = offset - before + start;
        return { data, offset: from, nextOffset: from + data.length, length };
      }),
    lineRange: (buildId, first, last) =>
      reading(buildId, async (log) => {
        if (!log) return { start: 0, end: 0 };
        return { start: await log.lineStart(first), end: await log.lineStart(Math.max(first, last + 1)) };
      }),
    lineStart: (buildId, line) =>
      reading(buildId, async (log) => {
        if (!log) return { offset: 0, length: 0, lines: 0 };
        return { offset: await log.lineStart(line), length: log.length(), lines: log.lines() };
      }),
    tailOffset: (buildId, lines) =>
      reading(buildId, async (log) => (log ? log.lineStart(Math.max(1, log.lines() - lines + 1)) : 0)),
    async *stream(buildId, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      const { length } = await size(buildId);
      const stop = Math.min(end, length);
      if (start >= stop) return;
      yield* createReadStream(`${pathOf(buildId)}.log`, { start, end: stop - 1, highWaterMark: READ_PIECE });
    },
    remove: (buildId) =>
      exclusively(buildId, async (entry, path) => {
        await reopenNextTime(entry);
        await removeLogFile(path);
      }),
    async close() {
      await Promise.all([...entries.values()].map((entry) => entry.tail));
      for (const entry of entries.values()) await reopenNextTime(entry);
      entries.clear();
    },
  };
}

/** Null unless the bytes begin with a character and go on behind it, so that what is given of them is never nothing. */
function wholeFrom(bytes: Buffer | null): Buffer | null {
  return bytes && bytes.length > REACH && !isContinuation(bytes[0]) ? bytes : null;
}

/** Null when the part is there as it should be, else the offset from which it has to be sent again. */
async function firstMissing(
  log: LogFile,
  part: { from: number; length: number; sha256: string },
): Promise<number | null> {
  const end = part.from + part.length;
  if (log.length() < end) return log.length();
  if (log.length() === end && (await log.hashFrom(part.from)) === part.sha256) return null;
  await log.cut(part.from);
  log.beginPart();
  return part.from;
}
