// Macs whose host has been removed: they are gone, and have to be made anew by another host.

import { changeRental, readStrandedMacs } from '../store/rentals.js';
import { failJob } from './job-changes.js';
import type { ProvisioningDeps } from './provisioning.js';

const HOST_REMOVED = 'The host of the Mac has been removed.';

/** How long until the builds of a removed host have been given up, at the latest. */
const LOOK_AGAIN_MS = 1000;

/**
 * Takes Macs of removed hosts back to being made. A Mac with a build waits until that build has been given up, so
 * that it is not taken for the new Mac's.
 *
 * @returns when to look again, or null
 */
export async function recallStranded(deps: ProvisioningDeps): Promise<number | null> {
  const { store, clock, wake } = deps;
  const now = clock.now();
  const stranded = await readStrandedMacs(store);
  for (const mac of stranded.filter(({ buildId }) => buildId === null)) {
    await store.transaction(async (tx) => {
      const anew = { preparingSince: now, prepareFailed: true, generation: mac.generation + 1 };
      if (!(await changeRental(tx, mac, 'lost', anew))) return;
      const { openJob, rentalId } = mac;
      if (openJob?.status === 'running' && openJob.kind !== 'provision') {
        await failJob(tx, deps, { ...openJob, rentalId }, `${openJob.kind}_failed`, HOST_REMOVED);
      }
      tx.onCommit(() => wake.wake('builds', String(mac.accountId)));
    });
  }
  return stranded.some(({ buildId }) => buildId !== null) ? now + LOOK_AGAIN_MS : null;
}
