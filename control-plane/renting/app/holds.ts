// Holds of unpaid orders on slots. Every change also changes the slot's calendar.
import { slotChanged } from '../../hosts/app/slots.js';
import type { Transaction } from '../../platform/store/sql.js';
import * as rows from '../store/holds.js';
import { shiftHoldsFromNow, shiftUnpaidOrders } from '../store/open-spans.js';

/** @throws Error if the slot is taken in that time, which means that the calendar was wrong */
export async function addHold(tx: Transaction, hold: Omit<rows.Hold, 'holdId'>): Promise<void> {
  await rows.insertHold(tx, hold);
  await slotChanged(tx, hold.slotId);
}

/** Deletes and returns the order's holds. */
export async function releaseHolds(tx: Transaction, orderNo: string): Promise<rows.Hold[]> {
  const holds = await rows.readHolds(tx, orderNo);
  await rows.deleteHolds(tx, orderNo);
  for (const { slotId } of holds) await slotChanged(tx, slotId);
  return holds;
}

/** Moves a hold to another slot or time. */
export async function moveHold(
  tx: Transaction,
  to: Pick<rows.Hold, 'holdId' | 'slotId' | 'startsAt' | 'endsAt'>,
): Promise<void> {
  const before = await rows.moveHold(tx, to);
  if (before !== null && before !== to.slotId) await slotChanged(tx, before);
  await slotChanged(tx, to.slotId);
}

/** Unpaid orders hold their Macs for as long as before, after a step of the service's clock by `ms`. */
export async function shiftUnpaid(tx: Transaction, ms: number): Promise<void> {
  await shiftUnpaidOrders(tx, ms);
  // Of a clock that was set back, a Mac that is wanted at once would be one for later.
  if (ms < 0) for (const slotId of await shiftHoldsFromNow(tx, ms)) await slotChanged(tx, slotId);
}
