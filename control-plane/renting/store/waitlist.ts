// Entries of the waitlist.

import { int } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type PlacedEntry, type WaitlistEntry, type WaitlistStatus, waitlistFields } from '../domain/waitlist.js';

export const waitlist = table('waitlist', waitlistFields, { seq: int() });

const placed = waitlist.and({
  position: [
    `CASE WHEN waitlist.status = 'waiting' THEN (SELECT COUNT(*) FROM waitlist a
       WHERE a.tier = waitlist.tier AND a.status = 'waiting' AND a.seq <= waitlist.seq) END`,
    int().orNull,
  ],
});

/** Returns the account's entries, newest first. */
export function listEntries(q: Queries, accountId: number, limit: number): Promise<PlacedEntry[]> {
  return placed.all(q, 'WHERE account_id = :accountId ORDER BY seq DESC LIMIT :limit', { accountId, limit });
}

/** Returns the account's waiting and notified entries, newest first. */
export function listCurrentEntries(q: Queries, accountId: number): Promise<PlacedEntry[]> {
  return placed.all(q, `WHERE account_id = :accountId AND status <> 'cancelled' ORDER BY seq DESC LIMIT 100`, {
    accountId,
  });
}

/** Returns null for another account's row. */
export function findEntry(q: Queries, accountId: number, entryId: string): Promise<PlacedEntry | null> {
  return placed.get(q, 'WHERE entry_id = :entryId AND account_id = :accountId', { entryId, accountId });
}

/** Returns whether the account has a waiting entry for the tier. */
export async function isWaiting(q: Queries, accountId: number, tier: string): Promise<boolean> {
  const row = await q.get(
    `SELECT 1 FROM waitlist WHERE account_id = :accountId AND tier = :tier AND status = 'waiting'`,
    { accountId, tier },
  );
  return row !== undefined;
}

const insertLast = waitlist.inserter<'seq'>({
  computed: { seq: '(SELECT COALESCE(MAX(seq), 0) + 1 FROM waitlist)' },
});

/** @throws ConstraintError if the account has a waiting entry for the tier already */
export async function insertEntry(
  tx: Transaction,
  { now, ...entry }: { entryId: string; accountId: number; tier: string; units: number; now: number },
): Promise<void> {
  await insertLast(tx, { ...entry, createdAt: now });
}

/** Changes the status of a waiting entry. Returns false if it is no longer waiting. */
export async function changeEntry(
  tx: Transaction,
  entryId: string,
  status: Exclude<WaitlistStatus, 'waiting'>,
  now: number,
): Promise<boolean> {
  const notifiedAt = status === 'notified' ? now : null;
  return (await waitlist.update(tx, { entryId, status: 'waiting' }, { status, notifiedAt })) === 1;
}

/** Notified and cancelled entries. */
export const purgeEntries = purgeOf('waitlist', {
  key: 'entry_id',
  expired: `status <> 'waiting' AND created_at <= :before`,
  by: 'created_at',
});

/** Returns the waiting entries of all accounts that are not suspended, oldest first. */
export function readWaitingEntries(q: Queries): Promise<WaitlistEntry[]> {
  return waitlist.all(
    q,
    `JOIN organizations o ON o.id = waitlist.account_id AND o.status = 'active'
     WHERE waitlist.status = 'waiting' ORDER BY waitlist.tier, waitlist.seq`,
  );
}

/** Returns waiting units per tier. */
export async function countWaitingUnits(q: Queries): Promise<Map<string, number>> {
  const rows = await q.all<{ tier: string; units: number }>(
    `SELECT tier, SUM(units) AS units FROM waitlist WHERE status = 'waiting' GROUP BY tier`,
  );
  return new Map(rows.map((row) => [row.tier, row.units]));
}

/**
 * Returns units per tier of notifications since `since` not followed by an order of that tier, and when the oldest of
 * them was sent.
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
