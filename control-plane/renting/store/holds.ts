// Holds of unpaid orders: a slot for a new rental, or more time in a rental's slot.

import { int, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const holds = table('holds', {
  holdId: int().assigned,
  orderNo: text(),
  accountId: int(),
  slotId: text(),
  /** Of an extension: the rental that it extends. */
  rentalId: text().orNull,
  startsAt: int(),
  endsAt: int(),
});
export type Hold = Selected<typeof holds>;

const insertWhereFree = holds.inserter({
  where: `NOT EXISTS (SELECT 1 FROM macs m JOIN rentals r ON r.rental_id = m.rental_id
      WHERE m.slot_id = :slotId AND m.state <> 'ended' AND r.starts_at < :endsAt AND r.ends_at > :startsAt)
    AND NOT EXISTS (SELECT 1 FROM holds WHERE slot_id = :slotId
      AND starts_at < :endsAt AND ends_at > :startsAt)`,
});

/** @throws Error if the slot is taken in that time, which means that the calendar was wrong */
export async function insertHold(tx: Transaction, hold: Omit<Hold, 'holdId'>): Promise<void> {
  if (!(await insertWhereFree(tx, hold))) {
    throw new Error(`the slot ${hold.slotId} was chosen though it is taken`);
  }
}

export function readHolds(q: Queries, orderNo: string): Promise<Hold[]> {
  return holds.all(q, 'WHERE order_no = :orderNo ORDER BY hold_id', { orderNo });
}

export async function deleteHolds(tx: Transaction, orderNo: string): Promise<void> {
  await tx.run('DELETE FROM holds WHERE order_no = :orderNo', { orderNo });
}

/** Moves a hold to another slot or time. Returns its previous slot, or null if it no longer exists. */
export async function moveHold(
  tx: Transaction,
  { holdId, slotId, startsAt, endsAt }: Pick<Hold, 'holdId' | 'slotId' | 'startsAt' | 'endsAt'>,
): Promise<string | null> {
  const before = await holds.get(tx, 'WHERE hold_id = :holdId', { holdId });
  await holds.update(tx, { holdId }, { slotId, startsAt, endsAt });
  return before?.slotId ?? null;
}

/** Returns the account's rentals with an unpaid extension, and its order. */
export async function pendingExtensions(q: Queries, accountId: number): Promise<Map<string, string>> {
  const rows = await q.all<{ rental_id: string; order_no: string }>(
    `SELECT h.rental_id, h.order_no FROM macs m JOIN holds h ON h.rental_id = m.rental_id
     WHERE m.account_id = :accountId AND m.state <> 'ended'`,
    { accountId },
  );
  return new Map(rows.map((row) => [row.rental_id, row.order_no]));
}
