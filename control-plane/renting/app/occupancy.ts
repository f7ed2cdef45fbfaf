// Writes the calendar's decisions: which occupation has which slot when.

import type { Transaction } from '../../platform/store/sql.js';
import type { Calendar } from '../domain/calendar.js';
import { reschedule } from '../domain/capacity.js';
import type { Occupation } from '../domain/occupation.js';
import { moveHold } from './holds.js';
import { moveReservation } from './rentals.js';

const HOLD = /^hold:(\d+)$/;

/**
 * Makes room for a rental in its slot and time by moving conflicting reservations that have not begun. The caller
 * writes the rental itself.
 */
export async function makeRoom(
  tx: Transaction,
  calendar: Calendar,
  rental: Occupation,
  tier: string,
  now: number,
): Promise<void> {
  for (const moved of reschedule(calendar, rental, tier, now)) {
    if (moved.id === rental.id) continue;
    const { slotId, startsAt, endsAt } = moved;
    const holdId = HOLD.exec(moved.id)?.[1];
    if (holdId === undefined) await moveReservation(tx, { rentalId: moved.id, slotId, startsAt, endsAt });
    else await moveHold(tx, { holdId: Number(holdId), slotId, startsAt, endsAt });
  }
}

/** Returns the calendar's occupation of a rental. */
export function occupationOf(rental: {
  rentalId: string;
  accountId: number;
  slotId: string;
  startsAt: number;
  endsAt: number;
  state: string;
  xcode: string | null;
}): Occupation {
  const { rentalId: id, accountId, slotId, startsAt, endsAt } = rental;
  const movable = rental.state === 'reserved';
  const xcode = movable ? rental.xcode : null;
  return { id, accountId, slotId, startsAt, endsAt, movable, extends: null, xcode };
}
