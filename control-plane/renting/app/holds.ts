// What unpaid orders keep free for themselves; every change of it is a change of the slot's calendar.
import { slotChanged } from '../../hosts/app/slots.js';
import type { Transaction } from '../../platform/store/sql.js';
import * as rows from '../store/holds.js';

/** @throws Error when the slot is somebody's in that time: the calendar that chose it was wrong */
export async function addHold(tx: Transaction, hold: Omit<rows.Hold, 'holdId'>): Promise<void> {
  await rows.insertHold(tx, hold);
  await slotChanged(tx, hold.slotId);
}

/** Gives up everything that the order holds; answers what it was. */
export async function releaseHolds(tx: Transaction, orderNo: string): Promise<rows.Hold[]> {
  const holds = await rows.readHolds(tx, orderNo);
  await rows.deleteHolds(tx, orderNo);
  for (const { slotId } of holds) await slotChanged(tx, slotId);
  return holds;
}

/** Puts a hold into another slot, or at another time. */
export async function moveHold(
  tx: Transaction,
  to: Pick<rows.Hold, 'holdId' | 'slotId' | 'startsAt' | 'endsAt'>,
): Promise<void> {
  const before = await rows.moveHold(tx, to);
  if (before !== null && before !== to.slotId) await slotChanged(tx, before);
  await slotChanged(tx, to.slotId);
}
