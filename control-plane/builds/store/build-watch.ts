// Builds that change when a time is reached.

import { bool } from '../../platform/domain/fields.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { Build } from '../domain/build.js';
import type { StallReason } from '../domain/stall.js';
import { builds } from './builds.js';

/** Most rows in one transaction, so that requests in between do not wait. */
const BATCH = 100;

// Names every value of the index's first column, so that both halves are found by their age.
const QUEUED_BY_AGE = `status = 'queued' AND stalled_queue IN (0, 1)`;

/** Returns waiting builds created at or before `createdAt`, oldest first. */
export async function readQueuedSince(q: Queries, createdAt: number): Promise<Build[]> {
  return builds.all(q, `WHERE ${QUEUED_BY_AGE} AND created_at <= :createdAt ORDER BY created_at LIMIT ${BATCH}`, {
    createdAt,
  });
}

/** Returns when the oldest waiting build was created. */
export const oldestQueued = (q: Queries): Promise<number | null> =>
  readNumber(
    q,
    `SELECT MIN(at) AS at FROM (
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0
       UNION ALL
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 1) AS oldest`,
  );

/** Returns builds waiting since `since` or longer that have no stall event yet. */
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

/** Returns since when the longest waiting build without a stall event has waited. */
export const oldestUnstalledQueued = (q: Queries): Promise<number | null> =>
  readNumber(
    q,
    `SELECT MIN(at) AS at FROM (
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 0
       UNION ALL
       SELECT MIN(requeued_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0 AND requeued = 1
     ) AS oldest`,
  );

/** Returns running builds without a silence event; at most one per busy Mac. */
export async function readUnstalledRunning(q: Queries): Promise<Build[]> {
  return builds.all(q, `WHERE status = 'running' AND stalled_silence = 0`);
}

/**
 * Records a stall and reserves the number of its event. Returns null if it was recorded before or the build has
 * changed.
 */
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

/** Returns running builds past their deadline that are not being stopped, and the next deadline of the others. */
export async function readOverdue(q: Queries, now: number): Promise<{ overdue: Build[]; nextAt: number | null }> {
  const overdue = await builds.all(q, `WHERE status = 'running' AND stop_reason IS NULL AND deadline_at <= :now`, {
    now,
  });
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(deadline_at) AS at FROM builds
     WHERE status = 'running' AND stop_reason IS NULL AND deadline_at > :now`,
    { now },
  );
  return { overdue, nextAt: next?.at ?? null };
}

const openEnds = builds.pick('buildId', 'attempt').and({
  /** A result was received without the complete log; otherwise a stop was requested. */
  resultKept: ['CASE WHEN builds.finish_result IS NULL THEN 0 ELSE 1 END', bool()],
  hostConnected: ['COALESCE(h.connected, 0)', bool()],
});
export type OpenEnd = Selected<typeof openEnds>;

/** Returns running attempts of which only the host's final report is missing. */
export function readOpenEnds(q: Queries): Promise<OpenEnd[]> {
  return openEnds.all(
    q,
    `LEFT JOIN hosts h ON h.host_id = builds.host_id
     WHERE builds.status = 'running' AND (builds.stop_reason IS NOT NULL OR builds.finish_result IS NOT NULL)`,
  );
}
