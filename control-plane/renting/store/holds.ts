// What unpaid orders keep free for themselves: a slot for a new rental, or more time in a rental's own slot.

import type { Queries, Transaction } from '../../platform/store/sql.js';

export interface Hold {
  readonly holdId: number;
  readonly orderNo: string;
  readonly accountId: number;
  readonly slotId: string;
  /** Of an extension: the rental whose time it lengthens. */
  readonly rentalId: string | null;
  readonly startsAt: number;
  readonly endsAt: number;
}

interface Row {
  hold_id: number;
  order_no: string;
  account_id: number;
  slot_id: string;
  rental_id: string | null;
  starts_at: number;
  ends_at: number;
}

const toHold = (row: Row): Hold => ({
  holdId: row.hold_id,
  orderNo: row.order_no,
  accountId: row.account_id,
  slotId: row.slot_id,
  rentalId: row.rental_id,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
});

/** @throws Error when the slot is somebody's in that time: the calendar that chose it was wrong */
export async function insertHold(tx: Transaction, hold: Omit<Hold, 'holdId'>): Promise<void> {
  const { changes } = await tx.run(
    `INSERT INTO holds (order_no, account_id, slot_id, rental_id, starts_at, ends_at)
     SELECT :orderNo, :accountId, :slotId, :rentalId, :startsAt, :endsAt
     WHERE NOT EXISTS (SELECT 1 FROM macs m JOIN rentals r ON r.rental_id = m.rental_id
         WHERE m.slot_id = :slotId AND m.state <> 'ended' AND r.starts_at < :endsAt AND r.ends_at > :startsAt)
       AND NOT EXISTS (SELECT 1 FROM holds WHERE slot_id = :slotId
         AND starts_at < :endsAt AND ends_at > :startsAt)`,
    { ...hold },
  );
  if (changes !== 1) throw new Error(`the slot ${hold.slotId} was chosen though it is taken`);
}

export async function readHolds(q: Queries, orderNo: string): Promise<Hold[]> {
  const rows = await q.all<Row>('SELECT * FROM holds WHERE order_no = :orderNo ORDER BY hold_id', {
    orderNo,
  });
  return rows.map(toHold);
}

export async function deleteHolds(tx: Transaction, orderNo: string): Promise<void> {
  await tx.run('DELETE FROM holds WHERE order_no = :orderNo', { orderNo });
}

/** Puts a hold into another slot, or at another time; returns the slot where it was, or null when it is gone. */
export async function moveHold(
  tx: Transaction,
  to: Pick<Hold, 'holdId' | 'slotId' | 'startsAt' | 'endsAt'>,
): Promise<string | null> {
  const before = await tx.get<{ slot_id: string }>('SELECT slot_id FROM holds WHERE hold_id = :holdId', {
    holdId: to.holdId,
  });
  await tx.run(
    'UPDATE holds SET slot_id = :slotId, starts_at = :startsAt, ends_at = :endsAt WHERE hold_id = :holdId',
    { ...to },
  );
  return before?.slot_id ?? null;
}

/** Rentals of the account of which an extension awaits payment, with its order. */
export async function pendingExtensions(q: Queries, accountId: number): Promise<Map<string, string>> {
  const rows = await q.all<{ rental_id: string; order_no: string }>(
    `SELECT h.rental_id, h.order_no FROM macs m JOIN holds h ON h.rental_id = m.rental_id
     WHERE m.account_id = :accountId AND m.state <> 'ended'`,
    { accountId },
  );
  return new Map(rows.map((row) => [row.rental_id, row.order_no]));
}
