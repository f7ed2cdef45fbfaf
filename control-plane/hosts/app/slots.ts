// Slots of hosts, for what is kept in them.
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { touchSlot } from '../store/calendar-revision.js';
import { hostOfSlot } from '../store/hosts.js';

/** To be called in every transaction that changes who has a slot, or for which time: calendars read its host anew. */
export async function slotChanged(tx: Transaction, slotId: string): Promise<void> {
  await touchSlot(tx, slotId);
}

/** Wakes, after the commit, what sends the slot's host its desire. */
export async function wakeHostOf(tx: Transaction, wake: Pick<Wake, 'wake'>, slotId: string): Promise<void> {
  const hostId = await hostOfSlot(tx, slotId);
  if (hostId !== null) tx.onCommit(() => wake.wake('host', hostId));
}
