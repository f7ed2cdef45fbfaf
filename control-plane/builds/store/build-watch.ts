// Builds to which something happens by time alone.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import type { StallReason } from '../domain/stall.js';
import { type BuildRow, toBuild } from './builds.js';

/** At most this many in one transaction, so that requests in between do not wait. */
const BATCH = 100;

// Names every value of the index's first column, so that both halves are found by their age.
const QUEUED_BY_AGE = `status = 'queued' AND stalled_queue IN (0, 1)`;

/** Waiting builds created at or before `createdAt`, oldest first. */
export async function readQueuedSince(q: Queries, createdAt: number): Promise<Build[]> {
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE ${QUEUED_BY_AGE} AND created_at <= :createdAt ORDER BY created_at LIMIT ${BATCH}`,
    { createdAt },
  );
  return rows.map(toBuild);
}

/** Creation of the oldest waiting build. */
export async function oldestQueued(q: Queries): Promise<number | null> {
  const row = await q.get<{ at: number | null }>(
    `SELECT MIN(at) AS at FROM (
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0
       UNION ALL
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 1) AS oldest`,
  );
  return row?.at ?? null;
}

/** Waiting builds that have waited since `since` or longer and were not told of as stalled. */
export async function readUnstalledQueued(q: Queries, since: number): Promise<Build[]> {
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 0 AND created_at <= :since
     ORDER BY created_at LIMIT ${BATCH}`,
    { since },
  );
  const again = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 1 AND requeued_at <= :since
     ORDER BY requeued_at LIMIT ${BATCH}`,
    { since },
  );
  return [...rows, ...again].map(toBuild);
}

/** Since when the waiting build has waited that has done so longest of those not told of as stalled. */
export async function oldestUnstalledQueued(q: Queries): Promise<number | null> {
  const row = await q.get<{ at: number | null }>(
    `SELECT MIN(at) AS at FROM (
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 0
       UNION ALL
       SELECT MIN(requeued_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 1
     ) AS oldest`,
  );
  return row?.at ?? null;
}

/** Running builds that were not told of as silent; as many as there are busy Macs. */
export async function readUnstalledRunning(q: Queries): Promise<Build[]> {
  const rows = await q.all<BuildRow>(`SELECT * FROM builds WHERE status = 'running' AND stalled_silence = 0`);
  return rows.map(toBuild);
}

const STALL_COLUMNS: Readonly<Record<StallReason, string>> = {
  queued_too_long: 'stalled_queue',
  no_log_output: 'stalled_silence',
};

/** Notes a stall and reserves the number of its event; null when it was noted before, or the build has moved on. */
export async function markStalled(
  tx: Transaction,
  seen: Pick<Build, 'buildId' | 'status' | 'attempt'>,
  reason: StallReason,
): Promise<{ build: Build; sequence: number } | null> {
  const column = STALL_COLUMNS[reason];
  const row = await tx.get<BuildRow>(
    `UPDATE builds SET ${column} = 1, event_sequence = event_sequence + 1
     WHERE build_id = :buildId AND status = :status AND attempt = :attempt AND ${column} = 0 RETURNING *`,
    { buildId: seen.buildId, status: seen.status, attempt: seen.attempt },
  );
  return row ? { build: toBuild(row), sequence: row.event_sequence } : null;
}

/** Running builds past their deadline that are not being stopped, and the next deadline of the others. */
export async function readOverdue(
  q: Queries,
  now: number,
): Promise<{ overdue: Build[]; nextAt: number | null }> {
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE status = 'running' AND stop_reason IS NULL AND deadline_at <= :now`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(deadline_at) AS at FROM builds
     WHERE status = 'running' AND stop_reason IS NULL AND deadline_at > :now`,
    { now },
  );
  return { overdue: rows.map(toBuild), nextAt: next?.at ?? null };
}

export interface OpenEnd {
  readonly buildId: string;
  readonly attempt: number;
  /** A result has come, but not the whole log; otherwise a stop was asked for. */
  readonly resultKept: boolean;
  readonly hostConnected: boolean;
}

/** Running attempts of which only the host's last word is missing. */
export async function readOpenEnds(q: Queries): Promise<OpenEnd[]> {
  const rows = await q.all<{ build_id: string; attempt: number; kept: number; connected: number | null }>(
    `SELECT b.build_id, b.attempt, CASE WHEN b.finish_result IS NULL THEN 0 ELSE 1 END AS kept, h.connected
     FROM builds b LEFT JOIN hosts h ON h.host_id = b.host_id
     WHERE b.status = 'running' AND (b.stop_reason IS NOT NULL OR b.finish_result IS NOT NULL)`,
  );
  return rows.map((row) => ({
    buildId: row.build_id,
    attempt: row.attempt,
    resultKept: row.kept === 1,
    hostConnected: row.connected === 1,
  }));
}
