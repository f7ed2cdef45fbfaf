// Functions on slots for the capabilities that use them.
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { touchSlot } from '../store/calendar-revision.js';
import { hostOfSlot } from '../store/slots.js';

/** Marks the slot's calendar as changed. Call it in every transaction that changes the tenant of a slot or the period. */
export async function slotChanged(tx: Transaction, slotId: string): Promise<void> {
  await touchSlot(tx, slotId);
}

/** Wakes the link of the slot's host after the commit, so that it sends the desired state. */
export async function wakeHostOf(tx: Transaction, wake: Pick<Wake, 'wake'>, slotId: string): Promise<void> {
  const hostId = await hostOfSlot(tx, slotId);
  if (hostId !== null) tx.onCommit(() => wake.wake('host', hostId));
}
