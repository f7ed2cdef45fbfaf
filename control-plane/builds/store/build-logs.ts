// Logs that several processes share: a row for each log, and its pieces while its build runs.
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type LogPiece, logPieceFields, type StoredLog, storedLogFields } from '../domain/stored-log.js';
import { builds } from './builds.js';

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

const runningAttempts = builds.pick('buildId', 'attempt');

/** Makes changes of different logs. Returns for each whether it was made: the log was as it was read, and its attempt runs. */
export async function changeStoredLogs(tx: Transaction, changes: readonly LogChangeRow[]): Promise<boolean[]> {
  const running = new Map<string, number>();
  const fenced = changes.filter(({ attempt }) => attempt !== null).map(({ after }) => after.buildId);
  for (const { list, params } of inChunks(fenced)) {
    const rest = `WHERE build_id IN (${list}) AND status = 'running'`;
    for (const { buildId, attempt } of await runningAttempts.all(tx, rest, params)) running.set(buildId, attempt);
  }
  const applied: boolean[] = [];
  const pieces: LogPiece[] = [];
  for (const { before, after, attempt, cutAt, add = [] } of changes) {
    const { buildId, ...values } = after;
    const isOpen = attempt === null || running.get(buildId) === attempt;
    const made = isOpen && (before === null ? await insertLog(tx, after) : await updateLog(tx, before, values));
    applied.push(made);
    if (!made) continue;
    if (cutAt !== undefined)
      await tx.run('DELETE FROM log_pieces WHERE build_id = :buildId AND start >= :cutAt', { buildId, cutAt });
    pieces.push(...add);
  }
  await insertPieces(tx, pieces);
  return applied;
}

const updateLog = async (tx: Transaction, { buildId, version }: StoredLog, values: Partial<StoredLog>) =>
  (await buildLogs.update(tx, { buildId, version, objectHash: null }, values)) > 0;

/** Pieces that one statement inserts: few numbers, so that few statements are prepared. */
const TOGETHER = [16, 4, 1] as const;

/** Each statement is a journey to the database, which costs more than its rows. */
export async function insertPieces(tx: Transaction, pieces: readonly LogPiece[]): Promise<void> {
  for (let at = 0; at < pieces.length; ) {
    const count = TOGETHER.find((size) => size <= pieces.length - at) ?? 1;
    const params: Record<string, SqlValue> = {};
    const rows = pieces.slice(at, at + count).map((piece, n) => {
      for (const [key, value] of Object.entries(piece)) params[`${key}${n}`] = value;
      return `(:buildId${n}, :start${n}, :feeds${n}, :bytes${n}, :entries${n})`;
    });
    await tx.run(`INSERT INTO log_pieces (build_id, start, feeds, bytes, entries) VALUES ${rows.join(', ')}`, params);
    at += count;
  }
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

const withLogs = builds.pick('buildId', 'endedAt', 'logBytes');
export type BuildWithLog = Selected<typeof withLogs>;

/** Builds whose log was not deleted, in the order of their ids. */
export async function* eachBuildWithLog(q: Queries, limit: number): AsyncGenerator<BuildWithLog[], void, undefined> {
  const rest = 'WHERE build_id > :after AND log_deleted_at IS NULL ORDER BY build_id LIMIT :limit';
  let after = '';
  for (let page = limit; page === limit; ) {
    const found = await withLogs.all(q, rest, { after, limit });
    if (found.length > 0) yield found;
    after = found.at(-1)?.buildId ?? after;
    page = found.length;
  }
}

/** Returns whether the build has a log of so many bytes that was not deleted. */
export async function hasLogOf(q: Queries, buildId: string, bytes: number): Promise<boolean> {
  const where = 'WHERE build_id = :buildId AND log_bytes = :bytes AND log_deleted_at IS NULL';
  return (await withLogs.get(q, where, { buildId, bytes })) !== null;
}

/** Writes the row of a log that is copied, in place of what an earlier copy has left. */
export async function replaceStoredLog(tx: Transaction, log: StoredLog): Promise<void> {
  const { buildId } = log;
  await tx.run('DELETE FROM log_pieces WHERE build_id = :buildId', { buildId });
  await deleteStoredLog(tx, buildId);
  await buildLogs.insert(tx, log);
}

/** Both objects of the log are complete. */
export async function completeStoredLog(
  tx: Transaction,
  buildId: string,
  written: Pick<StoredLog, 'objectHash' | 'indexBytes'>,
): Promise<void> {
  await buildLogs.update(tx, { buildId }, written);
}

/** Forgets all logs in the database, of an installation whose logs are files. */
export async function forgetStoredLogs(tx: Transaction): Promise<void> {
  await tx.run('DELETE FROM log_pieces', {});
  await tx.run('DELETE FROM build_logs', {});
}

export const countBuildsWithLogs = (q: Queries): Promise<number> =>
  readCount(q, 'SELECT COUNT(*) AS count FROM builds WHERE log_deleted_at IS NULL');
