// The queue of one account, in narrow rows without scripts.

import { readCount } from '../../platform/store/read-number.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { RunningBuild } from '../domain/estimates.js';
import type { QueuedBuild } from '../domain/queue.js';
import { builds } from './builds.js';

const queued = [
  ...(['buildId', 'seq', 'keyId', 'priority', 'requeued', 'createdAt'] as const),
  ...(['pinnedRentalId', 'xcode', 'labels', 'timeoutMin', 'historyKey'] as const),
] as const;
const queuedBuilds = builds.pick(...queued);
/** With the attempt, which guards changes. */
const waitingBuilds = builds.pick(...queued, 'attempt', 'queueUntilRental');
export type WaitingBuild = Selected<typeof waitingBuilds>;

const QUEUED = `WHERE account_id = :accountId AND status = 'queued' ORDER BY seq`;

/** Every waiting build of the account, in creation order. */
export function readQueued(q: Queries, accountId: number): Promise<QueuedBuild[]> {
  return queuedBuilds.all(q, QUEUED, { accountId });
}

/** Returns waiting builds with their attempts, which guard changes. */
export function readWaiting(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  return waitingBuilds.all(q, QUEUED, { accountId });
}

/** Answered from the index alone. */
export const countQueued = (q: Queries, accountId: number): Promise<number> =>
  readCount(
    q,
    `SELECT COUNT(*) AS n FROM builds
     WHERE account_id = :accountId AND status = 'queued'`,
    { accountId },
  );

/** Waiting builds of priority 1, and those that have risen to it: created at `agedSince` (ms) or before. */
export const countUrgent = (q: Queries, accountId: number, agedSince: number): Promise<number> =>
  readCount(
    q,
    `SELECT COUNT(*) AS n FROM builds
     WHERE account_id = :accountId AND status = 'queued'
       AND (priority >= 1 OR created_at <= :agedSince)`,
    { accountId, agedSince },
  );

const runningBuilds = builds.pick(
  ...(['buildId', 'keyId', 'rentalId', 'deadlineAt', 'attemptStartedAt', 'historyKey'] as const),
);

/** At most one per Mac of the account. */
export function readRunning(q: Queries, accountId: number): Promise<RunningBuild[]> {
  return runningBuilds.all(q, `WHERE account_id = :accountId AND status = 'running'`, { accountId });
}

/**
 * The builds that can be next: of each queue class the first one per priority, requeued or not. Queue classes are found
 * by stepping through the index, so that the cost depends on their number and not on that of the builds.
 */
export const QUEUE_CLASS_HEADS = `
  WITH RECURSIVE
    queue_classes (queue_class) AS (
      SELECT MIN(queue_class) FROM builds WHERE account_id = :accountId AND status = 'queued'
      UNION ALL
      SELECT (SELECT MIN(b.queue_class) FROM builds b
              WHERE b.account_id = :accountId AND b.status = 'queued' AND b.queue_class > queue_classes.queue_class)
      FROM queue_classes WHERE queue_classes.queue_class IS NOT NULL),
    classes (priority, requeued) AS (VALUES (1, 1), (1, 0), (0, 1), (0, 0)),
    heads (seq) AS (
      SELECT (SELECT MIN(b.seq) FROM builds b
              WHERE b.account_id = :accountId AND b.status = 'queued' AND b.queue_class = queue_classes.queue_class
                AND b.priority = classes.priority AND b.requeued = classes.requeued)
      FROM queue_classes CROSS JOIN classes WHERE queue_classes.queue_class IS NOT NULL)
  SELECT ${waitingBuilds.columns} FROM heads JOIN builds USING (seq) WHERE heads.seq IS NOT NULL`;

export function readQueueClassHeads(q: Queries, accountId: number): Promise<WaitingBuild[]> {
  return waitingBuilds.allOf(q, QUEUE_CLASS_HEADS, { accountId });
}

/** Returns whether a build of the account waits. */
export async function hasQueued(q: Queries, accountId: number): Promise<boolean> {
  const row = await q.get(`SELECT 1 FROM builds WHERE status = 'queued' AND account_id = :accountId LIMIT 1`, {
    accountId,
  });
  return row !== undefined;
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

/** Waiting and running builds of one workspace. */
export const countActiveOf = (q: Queries, workspace: { accountId: number; workspaceId: string }): Promise<number> =>
  readCount(
    q,
    `SELECT COUNT(*) AS n FROM builds
     WHERE account_id = :accountId AND workspace_id = :workspaceId AND status IN ('queued', 'running')`,
    workspace,
  );

/** Builds of the account that run and that wait. */
export async function countActiveBuilds(db: Queries, accountId: number): Promise<{ running: number; queued: number }> {
  const row = await db.get<{ running: number; queued: number }>(
    `SELECT (SELECT COUNT(*) FROM builds WHERE status = 'running' AND account_id = :accountId) AS running,
       (SELECT COUNT(*) FROM builds WHERE status = 'queued' AND account_id = :accountId) AS queued`,
    { accountId },
  );
  return row ?? { running: 0, queued: 0 };
}
