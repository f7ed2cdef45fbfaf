// Macs whose host has been removed or lost. Those of a removed host are gone and made anew by another one; those of a
// lost host are there again when it comes back, and made anew elsewhere when that takes too long.

import type { Store } from '../../platform/store/sql.js';
import { awaySinceHostWasSeen } from '../domain/mac.js';
import { changeMachine, readMacsOfHost, readStrandedMacs } from '../store/macs.js';
import { failJob, type JobChangeDeps } from './job-changes.js';

const HOST_REMOVED = 'The host of the Mac has been removed.';

/** How long until the builds of a removed host have been given up, at the latest. */
const LOOK_AGAIN_MS = 1000;

/**
 * Takes Macs of removed hosts back to being made. A Mac with a build waits until that build has been given up, so
 * that it is not taken for the new Mac's.
 *
 * @returns when to look again, or null
 */
export async function recallStranded(
  deps: JobChangeDeps & { readonly store: Store },
): Promise<number | null> {
  const { store, clock, wake } = deps;
  const now = clock.now();
  const stranded = await readStrandedMacs(store);
  for (const mac of stranded.filter(({ buildId }) => buildId === null)) {
    await store.transaction(async (tx) => {
      const awaySince = awaySinceHostWasSeen(mac, now);
      const anew = { preparingSince: now, prepareFailed: true, generation: mac.generation + 1, awaySince };
      if (!(await changeMachine(tx, mac, 'lost', anew))) return;
      const { openJob, rentalId } = mac;
      if (openJob?.status === 'running' && openJob.kind !== 'provision') {
        await failJob(tx, deps, { ...openJob, rentalId }, `${openJob.kind}_failed`, HOST_REMOVED);
      }
      tx.onCommit(() => wake.wake('builds', String(mac.accountId)));
    });
  }
  return stranded.some(({ buildId }) => buildId !== null) ? now + LOOK_AGAIN_MS : null;
}

/**
 * Takes the Macs of a lost host back to being prepared, as they are: the host reports them ready when it comes back.
 * Their time has not run since the host was heard of last. A Mac with a build waits until that has been given up.
 */
export async function recallFromLostHost(
  deps: JobChangeDeps & { store: Store },
  hostId: string,
): Promise<void> {
  const { store, clock, wake } = deps;
  const isThere = (state: string) => state === 'ready' || state === 'resetting' || state === 'updating';
  await store.transaction(async (tx) => {
    const now = clock.now();
    for (const mac of await readMacsOfHost(tx, hostId)) {
      if (!isThere(mac.state) || mac.buildId !== null) continue;
      const awaySince = awaySinceHostWasSeen(mac, now);
      if (!(await changeMachine(tx, mac, 'lost', { preparingSince: now, prepareFailed: false, awaySince })))
        continue;
      tx.onCommit(() => {
        wake.wake('builds', String(mac.accountId));
        wake.wake('orders', String(mac.accountId));
      });
    }
  });
}
