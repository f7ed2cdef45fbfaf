// Functions on slots and hosts for the capabilities that use them.
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { touchHost, touchHostsOfTier } from '../store/calendar-revision.js';
import { hostOfSlot } from '../store/slots.js';

export { touchSlot as slotChanged } from '../store/calendar-revision.js';
export { countSlots as slotsOfHosts } from '../store/slots.js';

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
