// The queue of one account: slim rows, so that a long script is not read to know whose turn it is.

import type { Queries } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { Build } from '../domain/build.js';
import type { RunningBuild } from '../domain/estimates.js';
import type { QueuedBuild } from '../domain/queue.js';
import { builds } from './builds.js';

const queued = [
  ...(['buildId', 'seq', 'keyId', 'priority', 'requeued', 'createdAt'] as const),
  ...(['pinnedRentalId', 'xcode', 'timeoutMin', 'historyKey'] as const),
] as const;
const queuedBuilds = builds.pick(...queued);
/** With what is needed to change it: a change names the attempt that was seen. */
const waitingBuilds = builds.pick(...queued, 'attempt', 'queueUntilRental');
export type WaitingBuild = Selected<typeof waitingBuilds>;

const QUEUED = `WHERE account_id = :accountId AND status = 'queued' ORDER BY seq`;

/** Every waiting build of the account, in creation order. */
export function readQueued(q: Queries, accountId: number): Promise<QueuedBuild[]> {
  return queuedBuilds.all(q, QUEUED, { accountId });
}

/** The same with what is needed to change them. */
export function readWaiting(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  return waitingBuilds.all(q, QUEUED, { accountId });
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

const runningBuilds = builds.pick(
  ...(['buildId', 'keyId', 'rentalId', 'deadlineAt', 'attemptStartedAt', 'historyKey'] as const),
);

/** As many as the account has busy Macs. */
export function readRunning(q: Queries, accountId: number): Promise<RunningBuild[]> {
  return runningBuilds.all(q, `WHERE account_id = :accountId AND status = 'running'`, { accountId });
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
  SELECT ${waitingBuilds.columns} FROM heads JOIN builds USING (seq) WHERE heads.seq IS NOT NULL`;

export function readLaneHeads(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  return waitingBuilds.allOf(q, LANE_HEADS, { accountId });
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

const ACTIVE = `SELECT ${builds.columns} FROM builds WHERE account_id = :accountId AND status = 'queued'
  UNION ALL SELECT ${builds.columns} FROM builds WHERE account_id = :accountId AND status = 'running'
  ORDER BY status, seq`;

/** Every waiting and running build of the account, whole. */
export function readActiveBuilds(q: Queries, accountId: number): Promise<Build[]> {
  return builds.allOf(q, ACTIVE, { accountId });
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
