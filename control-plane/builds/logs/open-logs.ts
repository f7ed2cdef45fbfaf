// The files of build logs. Runs one task at a time per log and keeps a limited number of logs open.
import { type LogFile, type LogFileOptions, makeLogFile, openLogFile, removeLogFile } from './log-file.js';
import { logPath } from './log-folders.js';

interface Entry {
  log: LogFile | null;
  /** Settles when all tasks queued so far are done. */
  tail: Promise<void>;
  users: number;
}

export interface OpenLogsOptions extends LogFileOptions {
  readonly root: string;
  /** Logs kept open at the same time. */
  readonly maxOpen: number;
}

export function createOpenLogs(options: OpenLogsOptions) {
  const entries = new Map<string, Entry>();

  const pathOf = (buildId: string) => logPath(options.root, buildId);
  /** Runs `work` after all earlier tasks of this log. */
  const exclusively = <T>(buildId: string, work: (entry: Entry, path: string) => Promise<T>): Promise<T> => {
    const path = pathOf(buildId);
    const entry = entries.get(buildId) ?? { log: null, tail: Promise.resolve(), users: 0 };
    // The map is ordered by last use.
    entries.delete(buildId);
    entries.set(buildId, entry);
    entry.users++;
    const result = entry.tail.then(async () => {
      try {
        return await work(entry, path);
      } catch (error) {
        // After a failed write the cached state may not match the file.
        await reopenNextTime(entry);
        throw error;
      } finally {
        entry.users--;
      }
    });
    entry.tail = result.then(closeIdle, closeIdle);
    return result;
  };
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

  return {
    pathOf,
    /** `log` is null if nothing was logged. */
    reading: <T>(buildId: string, work: (log: LogFile | null) => Promise<T>): Promise<T> =>
      exclusively(buildId, async (entry, path) => {
        entry.log ??= await openLogFile(path, options);
        return work(entry.log);
      }),
    writing: <T>(buildId: string, work: (log: LogFile) => Promise<T>): Promise<T> =>
      exclusively(buildId, async (entry, path) => {
        entry.log ??= (await openLogFile(path, options)) ?? (await makeLogFile(path, options));
        return work(entry.log);
      }),
    remove: (buildId: string): Promise<void> =>
      exclusively(buildId, async (entry, path) => {
        await reopenNextTime(entry);
        await removeLogFile(path);
      }),
    async close(): Promise<void> {
      await Promise.all([...entries.values()].map((entry) => entry.tail));
      for (const entry of entries.values()) await reopenNextTime(entry);
      entries.clear();
    },
  };
}
