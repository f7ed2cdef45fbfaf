// Functions on slots and hosts for the capabilities that use them.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { touchHost, touchHostsOfTier, touchSlot } from '../store/calendar-revision.js';
import { countSlots, hostOfSlot } from '../store/slots.js';

/** Marks the slot's calendar as changed. Call it in every transaction that changes the tenant of a slot or the period. */
export async function slotChanged(tx: Transaction, slotId: string): Promise<void> {
  await touchSlot(tx, slotId);
}

/** Marks the calendar of a host as changed (its images have changed), or of all hosts of a tier (its image has changed). */
export async function imagesChanged(
  tx: Transaction,
  of: { readonly hostId: string } | { readonly tier: string },
): Promise<void> {
  await ('hostId' in of ? touchHost(tx, of.hostId) : touchHostsOfTier(tx, of.tier));
}

/** Wakes the link of the slot's host after the commit, so that it sends the desired state. */
export async function wakeHostOf(tx: Transaction, wake: Pick<Wake, 'wake'>, slotId: string): Promise<void> {
  const hostId = await hostOfSlot(tx, slotId);
  if (hostId !== null) tx.onCommit(() => wake.wake('host', hostId));
}

/** Returns the slots of each host: all, and those that are rented, reserved or ordered. Removed hosts are left out. */
export const slotsOfHosts = (q: Queries): Promise<Map<string, { total: number; used: number }>> => countSlots(q);
