// Rentals: the contracts about Macs. The Mac's state and slot are in the table of Macs.
import { int, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Rental, rentalFields } from '../domain/rental.js';

export const rentals = table('rentals', rentalFields, {
  /** The end that an event has announced; null: none yet. */
  announcedEnd: int().orNull.initially(null),
});

/** Returns the rental of any account, including ended ones; null if there was none. */
export function findRental(q: Queries, rentalId: string): Promise<Rental | null> {
  return rentals.get(q, 'WHERE rental_id = :rentalId', { rentalId });
}

/** Returns rentals by their ids, including ended ones. */
export async function readRentals(q: Queries, rentalIds: readonly string[]): Promise<Map<string, Rental>> {
  const found = new Map<string, Rental>();
  for (const { list, params } of inChunks(rentalIds)) {
    const some = await rentals.all(q, `WHERE rental_id IN (${list})`, params);
    for (const rental of some) found.set(rental.rentalId, rental);
  }
  return found;
}

/** Returns the account's rentals that have not ended, by id. */
export async function readLiveRentals(q: Queries, accountId: number): Promise<Map<string, Rental>> {
  const live = await rentals.all(
    q,
    `JOIN macs m ON m.rental_id = rentals.rental_id WHERE m.account_id = :accountId AND m.state <> 'ended'`,
    { accountId },
  );
  return new Map(live.map((rental) => [rental.rentalId, rental]));
}

/** Returns the rentals that an order created, including ended ones. */
export function readRentalsOfOrder(q: Queries, orderNo: string): Promise<Rental[]> {
  return rentals.all(
    q,
    `JOIN macs m ON m.rental_id = rentals.rental_id
     WHERE rentals.order_no = :orderNo ORDER BY m.created_at, rentals.rental_id`,
    { orderNo },
  );
}

const dueRentals = rentals.pick('rentalId').and({
  accountId: ['m.account_id', int()],
  buildId: ['m.build_id', text().orNull],
});
/** A rental to end now, with its Mac. */
export type DueRental = Selected<typeof dueRentals>;

/**
 * Returns rentals to end now, and when the next one ends. A Mac with an unpaid extension is kept until that is settled,
 * so that nobody pays for a Mac that has just ended; the time of an unavailable Mac is paused.
 */
export async function readDueRentals(q: Queries, now: number): Promise<{ due: DueRental[]; nextAt: number | null }> {
  const due = await dueRentals.all(
    q,
    `JOIN macs m ON m.rental_id = rentals.rental_id
     WHERE ended_at IS NULL AND (end_requested_at IS NOT NULL
       OR ends_at <= :now AND (m.away_since IS NULL AND m.ready_at IS NOT NULL OR granted IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.rental_id = rentals.rental_id)) ORDER BY ends_at`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(ends_at) AS at FROM rentals JOIN macs m ON m.rental_id = rentals.rental_id
     WHERE ended_at IS NULL AND (m.ready_at IS NOT NULL OR granted IS NOT NULL) AND ends_at > :now`,
    { now },
  );
  return { due, nextAt: next?.at ?? null };
}

/** Returns the ids of due reservations, and when the next one is due. */
export async function readDueStarts(q: Queries, now: number): Promise<{ due: string[]; nextAt: number | null }> {
  const reserved = `FROM macs m JOIN rentals r ON r.rental_id = m.rental_id WHERE m.state = 'reserved'`;
  const due = await q.all<{ rental_id: string }>(
    `SELECT r.rental_id ${reserved} AND r.starts_at <= :now AND r.end_requested_at IS NULL
     ORDER BY r.starts_at, r.rental_id`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(`SELECT MIN(r.starts_at) AS at ${reserved} AND r.starts_at > :now`, {
    now,
  });
  return { due: due.map((row) => row.rental_id), nextAt: next?.at ?? null };
}

/** Returns whether the slot has no rental and no hold in that time. */
export async function isSlotFree(
  q: Queries,
  slotId: string,
  time: { startsAt: number; endsAt: number },
): Promise<boolean> {
  const taken = await q.get(
    `SELECT 1 FROM macs m JOIN rentals r ON r.rental_id = m.rental_id
     WHERE m.slot_id = :slotId AND m.state <> 'ended' AND r.starts_at < :endsAt AND r.ends_at > :startsAt
     UNION ALL SELECT 1 FROM holds WHERE slot_id = :slotId AND starts_at < :endsAt AND ends_at > :startsAt
     LIMIT 1`,
    { slotId, startsAt: time.startsAt, endsAt: time.endsAt },
  );
  return taken === undefined;
}

export type NewRental = Omit<Rental, 'endedAt' | 'endRequestedAt'>;

export const insertRental = rentals.inserter({});

export async function setPeriod(
  tx: Transaction,
  rentalId: string,
  { startsAt, endsAt }: Pick<Rental, 'startsAt' | 'endsAt'>,
): Promise<void> {
  await rentals.update(tx, { rentalId }, { startsAt, endsAt });
}

/** Adds (or removes) bought time, and the amount paid for it. */
export async function addBoughtTime(
  tx: Transaction,
  { rentalId, hours, amountWon }: { rentalId: string; hours: number; amountWon: number },
): Promise<void> {
  await rentals.change(tx, { rentalId }, {}, { hours, amountWon });
}

/**
 * Returns the rentals that end by `until` and whose end has not been announced, and when the next one ends after that. The
 * time of an unavailable Mac is paused.
 */
export async function readEndingSoon(
  q: Queries,
  { now, until }: { now: number; until: number },
): Promise<{ ending: { rentalId: string; endsAt: number }[]; nextAt: number | null }> {
  const ending = await rentals.pick('rentalId', 'endsAt').all(
    q,
    `JOIN macs m ON m.rental_id = rentals.rental_id
     WHERE ended_at IS NULL AND ends_at <= :until AND ends_at > :now AND end_requested_at IS NULL
       AND m.away_since IS NULL AND m.ready_at IS NOT NULL AND (announced_end IS NULL OR announced_end <> ends_at)
     ORDER BY ends_at`,
    { now, until },
  );
  const next = await q.get<{ at: number | null }>(
    'SELECT MIN(ends_at) AS at FROM rentals WHERE ended_at IS NULL AND ends_at > :until',
    { until },
  );
  return { ending, nextAt: next?.at ?? null };
}

/** Returns false if the end has changed or has been announced. */
export async function markAnnounced(tx: Transaction, rentalId: string, endsAt: number): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE rentals SET announced_end = :endsAt WHERE rental_id = :rentalId AND ends_at = :endsAt AND ended_at IS NULL
       AND (announced_end IS NULL OR announced_end <> :endsAt)`,
    { rentalId, endsAt },
  );
  return changes === 1;
}

/** Marks the rental to end now. */
export async function requestEnd(tx: Transaction, rentalId: string, now: number): Promise<void> {
  await rentals.update(tx, { rentalId }, { endRequestedAt: now });
}

export async function endRental(tx: Transaction, rentalId: string, now: number): Promise<void> {
  await rentals.update(tx, { rentalId }, { endedAt: now });
}
