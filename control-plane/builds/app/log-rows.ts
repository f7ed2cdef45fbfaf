// The rows of shared logs. Changes of different logs that come while one is being committed share the next transaction.
import type { Store } from '../../platform/store/sql.js';
import type { LogChange, LogRows } from '../logs/log-rows.js';
import {
  changeStoredLogs,
  deleteStoredLog,
  dropPieces,
  findStoredLog,
  lastPieceBelow,
  listStoredLogs,
  type PiecePlace,
  pieceAt,
  readEndedLogs,
  readEntries,
  readEntriesFrom,
  readPieces,
  runsAttempt,
} from '../store/build-logs.js';

/** Bytes and changes that one transaction stores. */
const MOST_BYTES = 1024 * 1024;
const MOST_CHANGES = 64;

export function createLogRows(store: Store): LogRows {
  const change = together(store);
  const mark = (place: PiecePlace | null) => place && { offset: place.start, feeds: place.feeds };
  return {
    find: (buildId) => findStoredLog(store, buildId),
    isRunning: (buildId, attempt) => runsAttempt(store, buildId, attempt),
    change,
    pieces: (buildId, from, to) => readPieces(store, buildId, from, to),
    entries: (buildId, from, to) => readEntries(store, buildId, from, to),
    entriesFrom: (buildId, from, to) => readEntriesFrom(store, buildId, from, to),
    lastBelow: async (buildId, below) => mark(await lastPieceBelow(store, buildId, below)),
    pieceAt: async (buildId, offset) => mark(await pieceAt(store, buildId, offset)),
    dropPieces: (buildId) => store.transaction((tx) => dropPieces(tx, buildId)),
    remove: (buildId) => store.transaction((tx) => deleteStoredLog(tx, buildId)),
    ended: (after, limit) => readEndedLogs(store, after, limit),
    list: (after, limit) => listStoredLogs(store, after, limit),
  };
}

interface Waiting {
  readonly change: LogChange;
  resolve(applied: boolean): void;
  reject(error: unknown): void;
}

function together(store: Store): LogRows['change'] {
  let waiting: Waiting[] = [];
  let busy = false;

  const next = (): Waiting[] => {
    let bytes = 0;
    const count = waiting.findIndex(({ change }, n) => {
      bytes += change.add?.reduce((sum, piece) => sum + piece.bytes.length, 0) ?? 0;
      return n > 0 && (bytes > MOST_BYTES || n >= MOST_CHANGES);
    });
    const taken = count < 0 ? waiting : waiting.slice(0, count);
    waiting = count < 0 ? [] : waiting.slice(count);
    return taken;
  };

  const drain = async () => {
    busy = true;
    while (waiting.length > 0) {
      const batch = next();
      try {
        const changes = batch.map(({ change }) => change);
        const applied = await store.transaction((tx) => changeStoredLogs(tx, changes));
        batch.forEach(({ resolve }, n) => void resolve(applied[n] === true));
      } catch (error) {
        // Hosts send again what was not stored.
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };

  return (change) =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject });
      if (!busy) void drain();
    });
}
