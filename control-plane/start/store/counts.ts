// Counts over the whole service, for the operator's metrics.
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries } from '../../platform/store/sql.js';

export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** Returns the numbers of running and queued builds. */
export function countBuilds(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(
    `SELECT 'running' AS name, COUNT(*) AS count FROM builds WHERE status = 'running'
     UNION ALL SELECT 'queued', COUNT(*) FROM builds WHERE status = 'queued'`,
  );
}

/** Returns the number of running builds of each host that has any. */
export async function countRunning(db: Queries): Promise<Map<string, number>> {
  const rows = await db.all<{ host_id: string; count: number }>(
    `SELECT host_id, COUNT(*) AS count FROM builds WHERE status = 'running' GROUP BY host_id`,
  );
  return new Map(rows.map(({ host_id, count }) => [host_id, count]));
}

/** Returns when the oldest queued build was created; null when none waits. */
export const oldestQueued = (db: Queries): Promise<number | null> =>
  readNumber(
    db,
    `SELECT MIN(at) AS at FROM (
       SELECT MIN(created_at) AS at FROM builds WHERE status = 'queued' AND stalled_queue = 0
       UNION ALL SELECT MIN(created_at) FROM builds WHERE status = 'queued' AND stalled_queue = 1) AS oldest`,
  );

/** Returns the numbers of hosts, `connected` and `away`. Removed hosts are not counted. */
export function countHosts(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(
    `SELECT CASE WHEN connected = 1 THEN 'connected' ELSE 'away' END AS name, COUNT(*) AS count
     FROM hosts WHERE status <> 'removed' GROUP BY connected`,
  );
}

/** Returns the numbers of Macs by state. Ended Macs are not counted. */
export function countMacs(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(`SELECT state AS name, COUNT(*) AS count FROM macs WHERE state <> 'ended' GROUP BY state`);
}

/** Counts pending deliveries. Times are null if there are none; `dueAt` also if none has a due time. */
export async function countWaitingDeliveries(
  db: Queries,
): Promise<{ count: number; oldestAt: number | null; dueAt: number | null }> {
  // Each subquery uses an index of pending deliveries, and does not scan past ones.
  const row = await db.get<{ count: number; oldest_at: number | null; due_at: number | null }>(
    `SELECT (SELECT COUNT(*) FROM deliveries WHERE status = 'pending') AS count,
       (SELECT created_at FROM deliveries
         WHERE seq = (SELECT MIN(seq) FROM deliveries WHERE status = 'pending')) AS oldest_at,
       (SELECT MIN(due_at) FROM deliveries WHERE status = 'pending' AND due_at IS NOT NULL) AS due_at`,
  );
  return { count: row?.count ?? 0, oldestAt: row?.oldest_at ?? null, dueAt: row?.due_at ?? null };
}
