// Macs that need another repair, because an earlier one did not help.
import type { Queries } from '../../platform/store/sql.js';

/** Returns the ids of Macs whose delayed repair is due, and when the next one is due. */
export async function readDelayedRepairs(q: Queries, now: number): Promise<{ due: string[]; nextAt: number | null }> {
  const rows = await q.all<{ rental_id: string; repair_at: number }>(
    `SELECT rental_id, repair_at FROM macs WHERE state = 'preparing' AND repair_at IS NOT NULL ORDER BY repair_at`,
  );
  return {
    due: rows.filter((row) => row.repair_at <= now).map((row) => row.rental_id),
    nextAt: rows.find((row) => row.repair_at > now)?.repair_at ?? null,
  };
}

export interface FailingRepairs {
  readonly hostId: string;
  readonly name: string;
  readonly macs: number;
  /** Consecutive repairs that did not help; the largest number of one Mac. */
  readonly repairs: number;
}

/** Returns hosts that repair a Mac on which an earlier repair did not help, or will after a delay. */
export async function readFailingRepairs(q: Queries): Promise<FailingRepairs[]> {
  return q.all(
    `SELECT h.host_id AS "hostId", h.name, COUNT(*) AS macs, MAX(m.repairs) - 1 AS repairs
     FROM macs m JOIN slots s ON s.slot_id = m.slot_id JOIN hosts h ON h.host_id = s.host_id
     WHERE m.state = 'preparing' AND m.repairing = 1 AND m.repairs > 1 GROUP BY h.host_id, h.name ORDER BY h.host_id`,
  );
}
