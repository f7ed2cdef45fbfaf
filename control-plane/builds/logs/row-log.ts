// A log in pieces in the database.
import type { StoredLog } from '../domain/stored-log.js';
import type { LogRows } from './log-rows.js';
import { LogMovedError, type LogSource } from './log-source.js';

/** Bytes that are read at once. */
const READ = 256 * 1024;

export function rowLog(rows: LogRows, log: StoredLog): LogSource {
  const { buildId } = log;
  const read = async (from: number, to: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    let at = from;
    for (const { start, bytes } of from < to ? await rows.pieces(buildId, from, to) : []) {
      if (start > at) break;
      parts.push(bytes.subarray(at - start, to - start));
      at = Math.min(to, start + bytes.length);
    }
    if (at < to) throw new LogMovedError(`bytes ${at} to ${to} of the log of ${buildId} are not in the database`);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  };
  return {
    log,
    read: (offset, most) => read(offset, Math.min(offset + most, log.length)),
    async *pieces(from, to) {
      for (let at = from; at < to; at += READ) yield await read(at, Math.min(at + READ, to));
    },
    markBelow: (below) => rows.lastBelow(buildId, below),
    markAt: (offset) => rows.pieceAt(buildId, offset),
    entries: async (from, to) => Buffer.concat(await rows.entries(buildId, from, to)),
  };
}
