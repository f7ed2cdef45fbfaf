// Rentals: the contracts about Macs. The Mac's state and slot are in the table of Macs.
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Rental } from '../domain/rental.js';

interface Row {
  rental_id: string;
  order_no: string | null;
  hours: number;
  amount_won: number;
  granted: Rental['granted'];
  starts_at: number;
  ends_at: number;
  ended_at: number | null;
  end_requested_at: number | null;
}

const toRental = (row: Row): Rental => ({
  rentalId: row.rental_id,
  orderNo: row.order_no,
  hours: row.granted === null ? row.hours : null,
  amountWon: row.amount_won,
  granted: row.granted,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  endedAt: row.ended_at,
  endRequestedAt: row.end_requested_at,
});

const COLUMNS = `r.rental_id, r.order_no, r.hours, r.amount_won, r.granted, r.starts_at, r.ends_at, r.ended_at,
  r.end_requested_at`;

/** Returns the rental of any account, including ended ones; null if there was none. */
export async function findRental(q: Queries, rentalId: string): Promise<Rental | null> {
  const row = await q.get<Row>(`SELECT ${COLUMNS} FROM rentals r WHERE r.rental_id = :rentalId`, {
    rentalId,
  });
  return row ? toRental(row) : null;
}

/** Returns rentals by their ids, including ended ones. */
export async function readRentals(q: Queries, rentalIds: readonly string[]): Promise<Map<string, Rental>> {
  const found = new Map<string, Rental>();
  for (const { list, params } of inChunks(rentalIds)) {
    const rows = await q.all<Row>(`SELECT ${COLUMNS} FROM rentals r WHERE r.rental_id IN (${list})`, params);
    for (const row of rows) found.set(row.rental_id, toRental(row));
  }
  return found;
}

/** Returns the account's rentals that have not ended, by id. */
export async function readLiveRentals(q: Queries, accountId: number): Promise<Map<string, Rental>> {
  const rows = await q.all<Row>(
    `SELECT ${COLUMNS} FROM macs m JOIN rentals r ON r.rental_id = m.rental_id
     WHERE m.account_id = :accountId AND m.state <> 'ended'`,
    { accountId },
  );
  return new Map(rows.map((row) => [row.rental_id, toRental(row)]));
}

/** Returns the rentals that an order created, including ended ones. */
export async function readRentalsOfOrder(q: Queries, orderNo: string): Promise<Rental[]> {
  const rows = await q.all<Row>(
    `SELECT ${COLUMNS} FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
     WHERE r.order_no = :orderNo ORDER BY m.created_at, r.rental_id`,
    { orderNo },
  );
  return rows.map(toRental);
}

/** A rental to end now, with its Mac. */
export interface DueRental {
  readonly rentalId: string;
  readonly accountId: number;
  readonly buildId: string | null;
}

/**
 * Returns rentals to end now, and when the next one ends. A Mac with an unpaid extension is kept until that is settled,
 * so that nobody pays for a Mac that has just ended; the time of an unavailable Mac is paused.
 */
export async function readDueRentals(
  q: Queries,
  now: number,
): Promise<{ due: DueRental[]; nextAt: number | null }> {
  const due = await q.all<{ rental_id: string; account_id: number; build_id: string | null }>(
    `SELECT r.rental_id, m.account_id, m.build_id FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
     WHERE r.ended_at IS NULL AND (r.end_requested_at IS NOT NULL
       OR r.ends_at <= :now AND (m.away_since IS NULL AND m.ready_at IS NOT NULL OR r.granted IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.rental_id = r.rental_id)) ORDER BY r.ends_at`,
    { now },
  );
  const next = await q.get<{ ends_at: number | null }>(
    `SELECT MIN(r.ends_at) AS ends_at FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
     WHERE r.ended_at IS NULL AND (m.ready_at IS NOT NULL OR r.granted IS NOT NULL) AND r.ends_at > :now`,
    { now },
  );
  return {
    due: due.map((row) => ({
      rentalId: row.rental_id,
      accountId: row.account_id,
      buildId: row.build_id,
    })),
    nextAt: next?.ends_at ?? null,
  };
}

/** Returns the ids of due reservations, and when the next one is due. */
export async function readDueStarts(
  q: Queries,
  now: number,
): Promise<{ due: string[]; nextAt: number | null }> {
  const reserved = `FROM macs m JOIN rentals r ON r.rental_id = m.rental_id WHERE m.state = 'reserved'`;
  const due = await q.all<{ rental_id: string }>(
    `SELECT r.rental_id ${reserved} AND r.starts_at <= :now AND r.end_requested_at IS NULL
     ORDER BY r.starts_at, r.rental_id`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(r.starts_at) AS at ${reserved} AND r.starts_at > :now`,
    { now },
  );
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

export type NewRental = Pick<
  Rental,
  'rentalId' | 'orderNo' | 'hours' | 'amountWon' | 'granted' | 'startsAt' | 'endsAt'
>;

export async function insertRental(tx: Transaction, rental: NewRental): Promise<void> {
  await tx.run(
    `INSERT INTO rentals (rental_id, order_no, hours, amount_won, granted, starts_at, ends_at)
     VALUES (:rentalId, :orderNo, :hours, :amountWon, :granted, :startsAt, :endsAt)`,
    { ...rental, hours: rental.hours ?? 0 },
  );
}

export async function setPeriod(
  tx: Transaction,
  rentalId: string,
  { startsAt, endsAt }: Pick<Rental, 'startsAt' | 'endsAt'>,
): Promise<void> {
  await tx.run('UPDATE rentals SET starts_at = :startsAt, ends_at = :endsAt WHERE rental_id = :rentalId', {
    rentalId,
    startsAt,
    endsAt,
  });
}

/** Adds (or removes) bought time, and the amount paid for it. */
export async function addBoughtTime(
  tx: Transaction,
  by: { rentalId: string; hours: number; amountWon: number },
): Promise<void> {
  await tx.run(
    `UPDATE rentals SET hours = hours + :hours, amount_won = amount_won + :amountWon WHERE rental_id = :rentalId`,
    by,
  );
}

/** Marks the rental to end now. */
export async function requestEnd(tx: Transaction, rentalId: string, now: number): Promise<void> {
  await tx.run('UPDATE rentals SET end_requested_at = :now WHERE rental_id = :rentalId', { rentalId, now });
}

export async function endRental(tx: Transaction, rentalId: string, now: number): Promise<void> {
  await tx.run('UPDATE rentals SET ended_at = :now WHERE rental_id = :rentalId', { rentalId, now });
}
