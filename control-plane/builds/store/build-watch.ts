// Builds that change when a time is reached.

import { bool } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { Build } from '../domain/build.js';
import type { StallReason } from '../domain/stall.js';
import { builds } from './builds.js';

/** Most rows in one transaction, so that requests in between do not wait. */
const BATCH = 100;

// Names every value of the index's first column, so that both halves are found by their age.
const QUEUED_BY_AGE = `status = 'queued' AND stalled_queue IN (0, 1)`;

/** Waiting builds created at or before `createdAt`, oldest first. */
export async function readQueuedSince(q: Queries, createdAt: number): Promise<Build[]> {
  return builds.all(
    q,
    `WHERE ${QUEUED_BY_AGE} AND created_at <= :createdAt ORDER BY created_at LIMIT ${BATCH}`,
    { createdAt },
  );
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
  const rows = await builds.all(
    q,
    `WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 0 AND created_at <= :since
     ORDER BY created_at LIMIT ${BATCH}`,
    { since },
  );
  const again = await builds.all(
    q,
    `WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 1 AND requeued_at <= :since
     ORDER BY requeued_at LIMIT ${BATCH}`,
    { since },
  );
  return [...rows, ...again];
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
  return builds.all(q, `WHERE status = 'running' AND stalled_silence = 0`);
}

/** Notes a stall and reserves the number of its event; null when it was noted before, or the build has moved on. */
export async function markStalled(
  tx: Transaction,
  { buildId, status, attempt }: Pick<Build, 'buildId' | 'status' | 'attempt'>,
  reason: StallReason,
): Promise<{ build: Build; sequence: number } | null> {
  const noted = (stalled: boolean) =>
    reason === 'queued_too_long' ? { stalledQueue: stalled } : { stalledSilence: stalled };
  const seen = { buildId, status, attempt, ...noted(false) };
  const build = await builds.change(tx, seen, noted(true), { eventSequence: 1 });
  return build && { build, sequence: build.eventSequence };
}

/** Running builds past their deadline that are not being stopped, and the next deadline of the others. */
export async function readOverdue(
  q: Queries,
  now: number,
): Promise<{ overdue: Build[]; nextAt: number | null }> {
  const overdue = await builds.all(
    q,
    `WHERE status = 'running' AND stop_reason IS NULL AND deadline_at <= :now`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(deadline_at) AS at FROM builds
     WHERE status = 'running' AND stop_reason IS NULL AND deadline_at > :now`,
    { now },
  );
  return { overdue, nextAt: next?.at ?? null };
}

const openEnds = builds.pick('buildId', 'attempt').and({
  /** A result has come, but not the whole log; otherwise a stop was asked for. */
  resultKept: ['CASE WHEN builds.finish_result IS NULL THEN 0 ELSE 1 END', bool()],
  hostConnected: ['COALESCE(h.connected, 0)', bool()],
});
export type OpenEnd = Selected<typeof openEnds>;

/** Running attempts of which only the host's last word is missing. */
export function readOpenEnds(q: Queries): Promise<OpenEnd[]> {
  return openEnds.all(
    q,
    `LEFT JOIN hosts h ON h.host_id = builds.host_id
     WHERE builds.status = 'running' AND (builds.stop_reason IS NOT NULL OR builds.finish_result IS NOT NULL)`,
  );
}
