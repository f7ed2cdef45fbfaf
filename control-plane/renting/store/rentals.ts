// When and where rentals are: their slots, times, and the making of their Macs.

import { touchRental, touchSlot } from '../../hosts/store/calendar-revision.js';
import type { Rental } from '../../macs/domain/mac.js';
import { type RentalRow, toRental } from '../../macs/store/macs.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';

/** Puts a reservation into another slot, or at another time; false when it has begun. */
export async function moveReservation(
  tx: Transaction,
  to: Pick<Rental, 'rentalId' | 'slotId' | 'startsAt' | 'endsAt'>,
): Promise<boolean> {
  // The host that it leaves has changed as well.
  await touchRental(tx, to.rentalId);
  const { changes } = await tx.run(
    `UPDATE rentals SET slot_id = :slotId, starts_at = :startsAt, ends_at = :endsAt
     WHERE rental_id = :rentalId AND state = 'reserved'`,
    { ...to },
  );
  await touchSlot(tx, to.slotId);
  return changes === 1;
}

/** Has a Mac that is being made made anew in another slot, by another host; false when it is not being made any more. */
export async function moveMac(
  tx: Transaction,
  seen: Pick<Rental, 'rentalId' | 'generation'>,
  to: Pick<Rental, 'slotId' | 'startsAt' | 'endsAt' | 'awaySince'> & { readonly now: number },
): Promise<boolean> {
  await touchRental(tx, seen.rentalId);
  const { changes } = await tx.run(
    `UPDATE rentals SET slot_id = :slotId, starts_at = :startsAt, ends_at = :endsAt, generation = generation + 1,
       preparing_since = :now, prepare_failed = 0, repairing = 0, away_since = :awaySince
     WHERE rental_id = :rentalId AND state = 'preparing' AND generation = :generation
       AND NOT EXISTS (SELECT 1 FROM rentals other WHERE other.slot_id = :slotId AND other.ended_at IS NULL
         AND other.state <> 'reserved' AND other.rental_id <> :rentalId)`,
    { rentalId: seen.rentalId, generation: seen.generation, ...to },
  );
  await touchSlot(tx, to.slotId);
  return changes === 1;
}

/** More (or less) bought time at the end, and what was paid for it; false when the rental has ended. */
export async function lengthenRental(
  tx: Transaction,
  by: { rentalId: string; hours: number; amountWon: number; endsAt: number },
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE rentals SET hours = hours + :hours, amount_won = amount_won + :amountWon, ends_at = :endsAt
     WHERE rental_id = :rentalId AND ended_at IS NULL`,
    by,
  );
  await touchRental(tx, by.rentalId);
  return changes === 1;
}

/** Has the rental end now, whatever its state; what runs on the Mac is settled by whoever ends rentals. */
export async function cutRental(tx: Transaction, rentalId: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE rentals SET starts_at = MIN(starts_at, :now), ends_at = MIN(ends_at, :now), end_requested_at = :now
     WHERE rental_id = :rentalId AND ended_at IS NULL`,
    { rentalId, now },
  );
  await touchRental(tx, rentalId);
}

/** Rentals of an order that have not ended. */
export async function readRentalsOfOrder(q: Queries, orderNo: string): Promise<Rental[]> {
  return (await readAllRentalsOfOrder(q, orderNo)).filter(({ endedAt }) => endedAt === null);
}

/** Rentals that an order has created, those that have ended too. */
export async function readAllRentalsOfOrder(q: Queries, orderNo: string): Promise<Rental[]> {
  const rows = await q.all<RentalRow>(
    'SELECT * FROM rentals WHERE order_no = :orderNo ORDER BY created_at, rental_id',
    { orderNo },
  );
  return rows.map(toRental);
}

/** Whoever's it is; null when it has ended. */
export async function findLiveRental(q: Queries, rentalId: string): Promise<Rental | null> {
  const row = await q.get<RentalRow>(
    'SELECT * FROM rentals WHERE rental_id = :rentalId AND ended_at IS NULL',
    { rentalId },
  );
  return row ? toRental(row) : null;
}

/** The Mac that is in the slot now, whatever its calendar says; null when it is empty. */
export async function findTenant(q: Queries, slotId: string): Promise<Rental | null> {
  const row = await q.get<RentalRow>(
    `SELECT * FROM rentals WHERE slot_id = :slotId AND ended_at IS NULL AND state <> 'reserved'`,
    { slotId },
  );
  return row ? toRental(row) : null;
}

/** Reservations whose time has come, and when the next one begins. */
export async function readDueStarts(
  q: Queries,
  now: number,
): Promise<{ due: Rental[]; nextAt: number | null }> {
  const due = await q.all<RentalRow>(
    `SELECT * FROM rentals WHERE state = 'reserved' AND starts_at <= :now AND end_requested_at IS NULL ORDER BY starts_at, rental_id`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(starts_at) AS at FROM rentals WHERE state = 'reserved' AND starts_at > :now`,
    { now },
  );
  return { due: due.map(toRental), nextAt: next?.at ?? null };
}

/** A Mac that is being made, and what speaks against its being made where it is. */
export interface Making {
  readonly rental: Rental;
  readonly hostRemoved: boolean;
}

const MAKING = `SELECT r.*, h.status AS host_status FROM rentals r
  JOIN slots s ON s.slot_id = r.slot_id JOIN hosts h ON h.host_id = s.host_id
  WHERE r.state = 'preparing' AND r.end_requested_at IS NULL`;

const toMaking = (row: RentalRow & { host_status: string }): Making => ({
  rental: toRental(row),
  hostRemoved: row.host_status === 'removed',
});

/** Every Mac that is being made, longest first. */
export async function readMaking(q: Queries): Promise<Making[]> {
  const rows = await q.all<RentalRow & { host_status: string }>(`${MAKING} ORDER BY r.preparing_since`);
  return rows.map(toMaking);
}

/** Returns null when the Mac is not being made. */
export async function findMaking(q: Queries, rentalId: string): Promise<Making | null> {
  const row = await q.get<RentalRow & { host_status: string }>(`${MAKING} AND r.rental_id = :rentalId`, {
    rentalId,
  });
  return row ? toMaking(row) : null;
}

/** The making of a Mac goes on where it is, with other times. */
export async function renewMaking(
  tx: Transaction,
  to: Pick<Rental, 'rentalId' | 'startsAt' | 'endsAt' | 'awaySince' | 'preparingSince'>,
): Promise<void> {
  await tx.run(
    `UPDATE rentals SET starts_at = :startsAt, ends_at = :endsAt, away_since = :awaySince,
       preparing_since = :preparingSince
     WHERE rental_id = :rentalId AND state = 'preparing'`,
    { ...to },
  );
  await touchRental(tx, to.rentalId);
}

/** The host has given up making this Mac. */
export async function recordPrepareFailure(
  tx: Transaction,
  seen: Pick<Rental, 'rentalId' | 'generation'>,
): Promise<void> {
  await tx.run(
    `UPDATE rentals SET prepare_failed = 1 WHERE rental_id = :rentalId AND generation = :generation
       AND state = 'preparing'`,
    { rentalId: seen.rentalId, generation: seen.generation },
  );
}
