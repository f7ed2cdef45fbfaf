// Entries of the waitlist.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { PlacedEntry, WaitlistEntry, WaitlistStatus } from '../domain/waitlist.js';

interface Row {
  entry_id: string;
  account_id: number;
  tier: string;
  units: number;
  status: WaitlistStatus;
  created_at: number;
  notified_at: number | null;
}

const toEntry = (row: Row): WaitlistEntry => ({
  entryId: row.entry_id,
  accountId: row.account_id,
  tier: row.tier,
  units: row.units,
  status: row.status,
  createdAt: row.created_at,
  notifiedAt: row.notified_at,
});

const PLACED = `SELECT w.*, CASE WHEN w.status = 'waiting' THEN
    (SELECT COUNT(*) FROM waitlist a WHERE a.tier = w.tier AND a.status = 'waiting' AND a.seq <= w.seq) END AS position
  FROM waitlist w`;

const toPlaced = (row: Row & { position: number | null }): PlacedEntry => ({
  ...toEntry(row),
  position: row.position,
});

/** The account's entries, newest first. */
export async function listEntries(q: Queries, accountId: number, limit: number): Promise<PlacedEntry[]> {
  const rows = await q.all<Row & { position: number | null }>(
    `${PLACED} WHERE w.account_id = :accountId ORDER BY w.seq DESC LIMIT :limit`,
    { accountId, limit },
  );
  return rows.map(toPlaced);
}

/** The account's entries that wait, or that have been told and not cancelled, newest first. */
export async function listCurrentEntries(q: Queries, accountId: number): Promise<PlacedEntry[]> {
  const rows = await q.all<Row & { position: number | null }>(
    `${PLACED} WHERE w.account_id = :accountId AND w.status <> 'cancelled' ORDER BY w.seq DESC LIMIT 100`,
    { accountId },
  );
  return rows.map(toPlaced);
}

/** Null too when it is another account's. */
export async function findEntry(q: Queries, accountId: number, entryId: string): Promise<PlacedEntry | null> {
  const row = await q.get<Row & { position: number | null }>(
    `${PLACED} WHERE w.entry_id = :entryId AND w.account_id = :accountId`,
    { entryId, accountId },
  );
  return row ? toPlaced(row) : null;
}

/** Does the account wait for the tier? */
export async function isWaiting(q: Queries, accountId: number, tier: string): Promise<boolean> {
  const row = await q.get(
    `SELECT 1 FROM waitlist WHERE account_id = :accountId AND tier = :tier AND status = 'waiting'`,
    { accountId, tier },
  );
  return row !== undefined;
}

/** @throws ConstraintError when the account waits for the tier already */
export async function insertEntry(
  tx: Transaction,
  entry: { entryId: string; accountId: number; tier: string; units: number; now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO waitlist (entry_id, seq, account_id, tier, units, status, created_at)
     VALUES (:entryId, (SELECT COALESCE(MAX(seq), 0) + 1 FROM waitlist), :accountId, :tier, :units, 'waiting', :now)`,
    entry,
  );
}

/** Takes a waiting entry to another status; false when it does not wait any more. */
export async function changeEntry(
  tx: Transaction,
  entryId: string,
  status: Exclude<WaitlistStatus, 'waiting'>,
  now: number,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE waitlist SET status = :status, notified_at = CASE WHEN :status = 'notified' THEN :now END
     WHERE entry_id = :entryId AND status = 'waiting'`,
    { entryId, status, now },
  );
  return changes === 1;
}

/** Of every account that is not suspended, oldest first. */
export async function readWaitingEntries(q: Queries): Promise<WaitlistEntry[]> {
  const rows = await q.all<Row>(
    `SELECT w.* FROM waitlist w JOIN organizations o ON o.id = w.account_id AND o.status = 'active'
     WHERE w.status = 'waiting' ORDER BY w.tier, w.seq`,
  );
  return rows.map(toEntry);
}

/** Units that wait, per tier. */
export async function countWaitingUnits(q: Queries): Promise<Map<string, number>> {
  const rows = await q.all<{ tier: string; units: number }>(
    `SELECT tier, SUM(units) AS units FROM waitlist WHERE status = 'waiting' GROUP BY tier`,
  );
  return new Map(rows.map((row) => [row.tier, row.units]));
}

/**
 * Units per tier of notifications since `since` whose account has not ordered of that tier after them, and when the
 * oldest of these was sent.
 */
export async function readPromisedUnits(
  q: Queries,
  since: number,
): Promise<{ units: Map<string, number>; oldestAt: number | null }> {
  const rows = await q.all<{ tier: string; units: number; oldest: number }>(
    `SELECT w.tier, SUM(w.units) AS units, MIN(w.notified_at) AS oldest FROM waitlist w
     WHERE w.status = 'notified' AND w.notified_at > :since AND NOT EXISTS (
       SELECT 1 FROM orders o WHERE o.account_id = w.account_id AND o.tier = w.tier AND o.kind = 'rental'
         AND o.created_at >= w.notified_at)
     GROUP BY w.tier`,
    { since },
  );
  return {
    units: new Map(rows.map((row) => [row.tier, row.units])),
    oldestAt: rows.length === 0 ? null : Math.min(...rows.map((row) => row.oldest)),
  };
}
