// Logs that several processes share: a row for each log, and its pieces while its build runs.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type LogPiece, logPieceFields, type StoredLog, storedLogFields } from '../domain/stored-log.js';

export const buildLogs = table('build_logs', storedLogFields);
export const logPieces = table('log_pieces', logPieceFields);

/** Pieces that one transaction deletes: some megabytes. */
const DROPPED = 64;

export const findStoredLog = (q: Queries, buildId: string): Promise<StoredLog | null> =>
  buildLogs.get(q, 'WHERE build_id = :buildId', { buildId });

/** Whether an attempt of a build runs. */
export async function runsAttempt(q: Queries, buildId: string, attempt: number): Promise<boolean> {
  const found = await q.get(
    `SELECT 1 AS runs FROM builds WHERE build_id = :buildId AND status = 'running' AND attempt = :attempt`,
    { buildId, attempt },
  );
  return found !== undefined;
}

const insertLog = buildLogs.inserter({ onConflict: 'ON CONFLICT (build_id) DO NOTHING' });

export interface LogChangeRow {
  readonly before: StoredLog | null;
  readonly after: StoredLog;
  readonly attempt: number | null;
  readonly cutAt?: number;
  readonly add?: readonly LogPiece[];
}

/** Returns false, without a change, unless the log is as it was read and its attempt runs. */
export async function changeStoredLog(tx: Transaction, change: LogChangeRow): Promise<boolean> {
  const { before, after, attempt, cutAt, add = [] } = change;
  const { buildId } = after;
  if (attempt !== null && !(await runsAttempt(tx, buildId, attempt))) return false;
  const { buildId: _, ...values } = after;
  const applied =
    before === null
      ? await insertLog(tx, after)
      : (await buildLogs.update(tx, { buildId, version: before.version, objectHash: null }, values)) > 0;
  if (!applied) return false;
  if (cutAt !== undefined)
    await tx.run('DELETE FROM log_pieces WHERE build_id = :buildId AND start >= :cutAt', { buildId, cutAt });
  for (const piece of add) await logPieces.insert(tx, piece);
  return true;
}

/** SQL: from the piece that the byte at `:from` is in to the one before `:to`. */
const BETWEEN = `WHERE build_id = :buildId AND start < :to AND start >= COALESCE(
  (SELECT MAX(start) FROM log_pieces WHERE build_id = :buildId AND start <= :from), 0) ORDER BY start`;

const bodies = logPieces.pick('buildId', 'start', 'feeds', 'bytes');
export type PieceBody = Selected<typeof bodies>;

export const readPieces = (q: Queries, buildId: string, from: number, to: number): Promise<PieceBody[]> =>
  bodies.all(q, BETWEEN, { buildId, from, to });

const entries = logPieces.pick('entries');

export async function readEntries(q: Queries, buildId: string, from: number, to: number): Promise<Buffer[]> {
  return (await entries.all(q, BETWEEN, { buildId, from, to })).map((piece) => piece.entries);
}

export async function readEntriesFrom(q: Queries, buildId: string, from: number, to: number): Promise<Buffer[]> {
  const rest = 'WHERE build_id = :buildId AND start >= :from AND start < :to ORDER BY start';
  return (await entries.all(q, rest, { buildId, from, to })).map((piece) => piece.entries);
}

const places = logPieces.pick('start', 'feeds');
export type PiecePlace = Selected<typeof places>;

/** The last piece that has fewer line feeds before it than `below`. */
export const lastPieceBelow = (q: Queries, buildId: string, below: number): Promise<PiecePlace | null> =>
  places.get(q, 'WHERE build_id = :buildId AND feeds < :below ORDER BY feeds DESC, start DESC LIMIT 1', {
    buildId,
    below,
  });

/** The piece that a byte is in. */
export const pieceAt = (q: Queries, buildId: string, offset: number): Promise<PiecePlace | null> =>
  places.get(q, 'WHERE build_id = :buildId AND start <= :offset ORDER BY start DESC LIMIT 1', { buildId, offset });

/** Deletes the first pieces of a log. Returns whether there are more; if not, the log has none from then on. */
export async function dropPieces(tx: Transaction, buildId: string): Promise<boolean> {
  const { changes } = await tx.run(
    `DELETE FROM log_pieces WHERE build_id = :buildId AND start IN
       (SELECT start FROM log_pieces WHERE build_id = :buildId ORDER BY start LIMIT :limit)`,
    { buildId, limit: DROPPED },
  );
  if (changes === DROPPED) return true;
  await buildLogs.update(tx, { buildId }, { hasPieces: false });
  return false;
}

export async function deleteStoredLog(tx: Transaction, buildId: string): Promise<void> {
  await tx.run('DELETE FROM build_logs WHERE build_id = :buildId', { buildId });
}

/** Logs with pieces whose builds have ended, in the order of the builds' ids. */
export const readEndedLogs = (q: Queries, after: string, limit: number): Promise<StoredLog[]> =>
  buildLogs.all(
    q,
    `JOIN builds b ON b.build_id = build_logs.build_id
     WHERE build_logs.has_pieces = 1 AND build_logs.build_id > :after AND b.ended_at IS NOT NULL
     ORDER BY build_logs.build_id LIMIT :limit`,
    { after, limit },
  );

const ids = buildLogs.pick('buildId');

export async function listStoredLogs(q: Queries, after: string, limit: number): Promise<string[]> {
  const found = await ids.all(q, 'WHERE build_id > :after ORDER BY build_id LIMIT :limit', { after, limit });
  return found.map(({ buildId }) => buildId);
}
