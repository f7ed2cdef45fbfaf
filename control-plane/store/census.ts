// Counts over the whole service, for whoever watches it.
import type { Queries } from './sql.js';

export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** Builds that run or wait. */
export function countBuilds(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(
    `SELECT 'running' AS name, COUNT(*) AS count FROM builds WHERE status = 'running'
     UNION ALL SELECT 'queued', COUNT(*) FROM builds WHERE status = 'queued'`,
  );
}

/** Hosts that have not been removed; `connected` and `away`. */
export function countHosts(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(
    `SELECT CASE WHEN connected = 1 THEN 'connected' ELSE 'away' END AS name, COUNT(*) AS count
     FROM hosts WHERE status <> 'removed' GROUP BY connected`,
  );
}

/** Macs that have not ended, by state. */
export function countMacs(db: Queries): Promise<Counted[]> {
  return db.all<Counted>(
    'SELECT state AS name, COUNT(*) AS count FROM rentals WHERE ended_at IS NULL GROUP BY state',
  );
}
