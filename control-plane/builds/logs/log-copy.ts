// A log in files as the log that several processes share.
import { type LogPiece, PIECE_BYTES, type StoredLog } from '../domain/stored-log.js';
import type { IndexEntry } from './index-entries.js';
import { feedsIn } from './line-places.js';
import { type LogFile, openLogFile } from './log-file.js';
import { logPath } from './log-folders.js';
import { decoded, emptyLog, encoded } from './log-writing.js';

export interface LogCopy {
  readonly log: StoredLog;
  /** The index of the whole log. */
  readonly index: Buffer;
  /** Yields the bytes of the log. */
  bytes(): AsyncIterable<Buffer>;
  /** Yields the log as pieces of the database. */
  pieces(): AsyncIterable<LogPiece>;
  close(): Promise<void>;
}

const READ = 256 * 1024;

/**
 * Opens a log for reading; its index is repaired if necessary. Close it.
 *
 * @param root the folder of the logs
 * @returns null if nothing was logged
 */
export async function openLogCopy(root: string, buildId: string): Promise<LogCopy | null> {
  const file = await openLogFile(logPath(root, buildId), { now: () => 0 });
  if (file === null) return null;
  const { length, feeds, endsWithLine, isResent } = file.index;
  const entries = [...decoded(await file.index.whole())];
  const owned = entries.filter(({ own }) => own > 0).length;
  return {
    log: { ...emptyLog(buildId), length, feeds, endsWithLine, isResent, owned },
    index: encoded(buildId, entries),
    async *bytes() {
      for (let at = 0; at < length; at += READ) yield await file.read(at, READ);
    },
    pieces: () => piecesOf(file, buildId, entries),
    close: file.close,
  };
}

async function* piecesOf(
  file: LogFile,
  buildId: string,
  entries: readonly IndexEntry[],
): AsyncGenerator<LogPiece, void, undefined> {
  let feeds = 0;
  let next = 0;
  for (let start = 0; start < file.index.length; start += PIECE_BYTES) {
    const bytes = await file.read(start, PIECE_BYTES);
    const end = start + bytes.length;
    const own: IndexEntry[] = [];
    // A piece begins with an entry of its own.
    const before = entries[next - 1];
    if (entries[next]?.offset !== start) {
      const left = before === undefined ? 0 : Math.max(0, before.offset + before.own - start);
      own.push({ offset: start, feeds, at: before?.at ?? 0, own: left });
    }
    for (let entry = entries[next]; entry !== undefined && entry.offset < end; entry = entries[++next]) own.push(entry);
    const within = own.map((entry) => ({ ...entry, own: Math.min(entry.own, end - entry.offset) }));
    yield { buildId, start, feeds, bytes, entries: encoded(buildId, within) };
    feeds += feedsIn(bytes);
  }
}
