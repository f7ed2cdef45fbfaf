// Macs whose last repair did not help: starts their next repair after a delay, and reports their hosts in /healthz.

import { countOf } from '../../../shared/count.js';
import { wakeHostOf } from '../../hosts/app/slots.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { delayedRepair } from '../domain/repair.js';
import { changeMachine, findMachine } from '../store/macs.js';
import { readDelayedRepairs, readFailingRepairs } from '../store/repairs.js';
import type { JobChangeDeps } from './job-changes.js';

/**
 * Starts every repair whose delay is over.
 *
 * @returns when the next one is due, or null
 */
export async function beginDelayedRepairs(deps: JobChangeDeps & { readonly store: Store }): Promise<number | null> {
  const { store, clock, wake } = deps;
  const now = clock.now();
  const { due, nextAt } = await readDelayedRepairs(store, now);
  for (const rentalId of due) {
    await store.transaction(async (tx) => {
      const mac = await findMachine(tx, rentalId);
      if (mac?.state !== 'preparing' || mac.repairAt === null || mac.repairAt > now) return;
      const repair = { at: now, cause: 'repair' } as const;
      await changeMachine(tx, mac, 'lost', repair, { ...delayedRepair(mac), preparingSince: now });
      await wakeHostOf(tx, wake, mac.slotId);
      // Provisioning moves it to another host if there is one.
      tx.onCommit(() => wake.wake('availability'));
    });
  }
  return nextAt;
}

/** Returns a line for /healthz for each host on which repairs do not help. */
export async function repairDegradations(store: Queries): Promise<Degradation[]> {
  return (await readFailingRepairs(store)).map(({ hostId, name, macs, repairs }) => ({
    name: 'repairs_failing',
    message: `Host ${name} (${hostId}) cannot prepare builds on ${countOf(macs, 'Mac')}: ${countOf(repairs, 'repair')} in a row did not help. Builds wait, and repairs are retried at growing intervals. Check the host's disk, permissions and log.`,
  }));
}
