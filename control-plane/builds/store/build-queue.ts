// The queue of one account: slim rows, so that a long script is not read to know whose turn it is.

import type { Queries } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import type { RunningBuild } from '../domain/estimates.js';
import type { QueuedBuild } from '../domain/queue.js';
import { type BuildRow, toBuild } from './builds.js';

interface QueuedRow {
  build_id: string;
  seq: number;
  key_id: string | null;
  priority: number;
  requeued: number;
  created_at: number;
  pinned_rental_id: string | null;
  xcode: string | null;
  timeout_min: number;
  history_key: string | null;
}

interface WaitingRow extends QueuedRow {
  attempt: number;
  queue_until_rental: number;
}

interface RunningRow {
  build_id: string;
  key_id: string | null;
  rental_id: string | null;
  deadline_at: number | null;
  attempt_started_at: number | null;
  history_key: string | null;
}

const QUEUED = `build_id, seq, key_id, priority, requeued, created_at, pinned_rental_id, xcode, timeout_min,
  history_key`;
const WAITING = `${QUEUED}, attempt, queue_until_rental`;

/** With what is needed to change it: a change names the attempt that was seen. */
export type WaitingBuild = QueuedBuild & { readonly attempt: number; readonly queueUntilRental: boolean };

function toQueued(row: QueuedRow): QueuedBuild {
  return {
    buildId: row.build_id,
    seq: row.seq,
    keyId: row.key_id,
    priority: row.priority,
    requeued: row.requeued === 1,
    createdAt: row.created_at,
    pinnedRentalId: row.pinned_rental_id,
    xcode: row.xcode,
    timeoutMs: row.timeout_min * 60_000,
    historyKey: row.history_key,
  };
}

function toWaiting(row: WaitingRow): WaitingBuild {
  return { ...toQueued(row), attempt: row.attempt, queueUntilRental: row.queue_until_rental === 1 };
}

/** Every waiting build of the account, in creation order. */
export async function readQueued(q: Queries, accountId: number): Promise<QueuedBuild[]> {
  const rows = await q.all<QueuedRow>(
    `SELECT ${QUEUED} FROM builds WHERE account_id = :accountId AND status = 'queued' ORDER BY seq`,
    { accountId },
  );
  return rows.map(toQueued);
}

/** The same with what is needed to change them. */
export async function readWaiting(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  const rows = await q.all<WaitingRow>(
    `SELECT ${WAITING} FROM builds WHERE account_id = :accountId AND status = 'queued' ORDER BY seq`,
    { accountId },
  );
  return rows.map(toWaiting);
}

/** From the index alone. */
export async function countQueued(q: Queries, accountId: number): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM builds
     WHERE account_id = :accountId AND status = 'queued'`,
    { accountId },
  );
  return row?.n ?? 0;
}

/** Waiting builds of priority 1, and those that have risen to it: created at `agedSince` (ms) or before. */
export async function countUrgent(q: Queries, accountId: number, agedSince: number): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM builds
     WHERE account_id = :accountId AND status = 'queued'
       AND (priority >= 1 OR created_at <= :agedSince)`,
    { accountId, agedSince },
  );
  return row?.n ?? 0;
}

/** As many as the account has busy Macs. */
export async function readRunning(q: Queries, accountId: number): Promise<RunningBuild[]> {
  const rows = await q.all<RunningRow>(
    `SELECT build_id, key_id, rental_id, deadline_at, attempt_started_at, history_key FROM builds
     WHERE account_id = :accountId AND status = 'running'`,
    { accountId },
  );
  return rows.map((row) => ({
    buildId: row.build_id,
    keyId: row.key_id,
    rentalId: row.rental_id,
    deadlineAt: row.deadline_at,
    startedAt: row.attempt_started_at,
    historyKey: row.history_key,
  }));
}

/**
 * Whose turn can be next: of each lane the first build by priority and by requeued or not. The lanes are found by
 * stepping from one to the next in the index, so that the cost follows their number and not that of the builds.
 */
export const LANE_HEADS = `
  WITH RECURSIVE
    lanes (lane) AS (
      SELECT MIN(lane) FROM builds WHERE account_id = :accountId AND status = 'queued'
      UNION ALL
      SELECT (SELECT MIN(b.lane) FROM builds b
              WHERE b.account_id = :accountId AND b.status = 'queued' AND b.lane > lanes.lane)
      FROM lanes WHERE lanes.lane IS NOT NULL),
    classes (priority, requeued) AS (VALUES (1, 1), (1, 0), (0, 1), (0, 0)),
    heads (seq) AS (
      SELECT (SELECT MIN(b.seq) FROM builds b
              WHERE b.account_id = :accountId AND b.status = 'queued' AND b.lane = lanes.lane
                AND b.priority = classes.priority AND b.requeued = classes.requeued)
      FROM lanes CROSS JOIN classes WHERE lanes.lane IS NOT NULL)
  SELECT ${WAITING} FROM heads JOIN builds USING (seq) WHERE heads.seq IS NOT NULL`;

export async function readLaneHeads(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  return (await q.all<WaitingRow>(LANE_HEADS, { accountId })).map(toWaiting);
}

/** Accounts with waiting builds, found by stepping from one to the next in the index. */
export async function accountsWithQueuedBuilds(q: Queries): Promise<number[]> {
  const rows = await q.all<{ account_id: number }>(
    `WITH RECURSIVE accounts (account_id) AS (
       SELECT MIN(account_id) FROM builds WHERE status = 'queued'
       UNION ALL
       SELECT (SELECT MIN(b.account_id) FROM builds b
               WHERE b.status = 'queued' AND b.account_id > accounts.account_id)
       FROM accounts WHERE accounts.account_id IS NOT NULL)
     SELECT account_id FROM accounts WHERE account_id IS NOT NULL`,
  );
  return rows.map((row) => row.account_id);
}

/** Every waiting and running build of the account, whole. */
export async function readActiveBuilds(q: Queries, accountId: number): Promise<Build[]> {
  const rows = await q.all<BuildRow>(
    `SELECT * FROM builds WHERE account_id = :accountId AND status = 'queued'
     UNION ALL SELECT * FROM builds WHERE account_id = :accountId AND status = 'running' ORDER BY status, seq`,
    { accountId },
  );
  return rows.map(toBuild);
}

/** Builds of the account that run and that wait. */
export async function countActiveBuilds(
  db: Queries,
  accountId: number,
): Promise<{ running: number; queued: number }> {
  const row = await db.get<{ running: number; queued: number }>(
    `SELECT (SELECT COUNT(*) FROM builds WHERE status = 'running' AND account_id = :accountId) AS running,
       (SELECT COUNT(*) FROM builds WHERE status = 'queued' AND account_id = :accountId) AS queued`,
    { accountId },
  );
  return row ?? { running: 0, queued: 0 };
}
