// Macs whose host was removed or lost. Macs of a removed host are recreated on another one; those of a lost host are
// kept until it reconnects, or recreated elsewhere when that takes too long.

import type { Store } from '../../platform/store/sql.js';
import { awaySinceHostWasSeen } from '../domain/mac.js';
import { changeMachine, readMacsOfHost, readStrandedMacs } from '../store/macs.js';
import { failJob, type JobChangeDeps, jobReason } from './job-changes.js';

/** Longest time until the builds of a removed host have been ended. */
const LOOK_AGAIN_MS = 1000;

/**
 * Returns Macs of removed hosts to `preparing`. A Mac with a build waits until that build has ended, so that the build
 * is not attributed to the new Mac.
 *
 * @returns when to check again, or null
 */
export async function recallStranded(deps: JobChangeDeps & { readonly store: Store }): Promise<number | null> {
  const { store, clock, wake } = deps;
  const now = clock.now();
  const stranded = await readStrandedMacs(store);
  for (const mac of stranded.filter(({ buildId }) => buildId === null)) {
    await store.transaction(async (tx) => {
      const awaySince = awaySinceHostWasSeen(mac, now);
      const anew = { preparingSince: now, prepareFailed: true, generation: mac.generation + 1, awaySince };
      if (!(await changeMachine(tx, mac, 'lost', { at: now, cause: 'host_removed' }, anew))) return;
      const { openJob, rentalId } = mac;
      if (openJob?.status === 'running' && openJob.kind !== 'provision') {
        await failJob(tx, deps, { ...openJob, rentalId }, `${openJob.kind}_failed`, jobReason('host_removed'));
      }
      tx.onCommit(() => wake.wake('builds', String(mac.accountId)));
    });
  }
  return stranded.some(({ buildId }) => buildId !== null) ? now + LOOK_AGAIN_MS : null;
}

/**
 * Returns Macs of a lost host to `preparing` without a change: the host reports them ready when it reconnects. Their
 * time is paused since the host was last connected. A Mac with a build waits until that build has ended.
 */
export async function recallFromLostHost(deps: JobChangeDeps & { store: Store }, hostId: string): Promise<void> {
  const { store, clock, wake } = deps;
  const isThere = (state: string) => state === 'ready' || state === 'resetting' || state === 'updating';
  await store.transaction(async (tx) => {
    const now = clock.now();
    for (const mac of await readMacsOfHost(tx, hostId)) {
      if (!isThere(mac.state) || mac.buildId !== null) continue;
      const awaySince = awaySinceHostWasSeen(mac, now);
      const waits = { preparingSince: now, prepareFailed: false, awaySince };
      if (!(await changeMachine(tx, mac, 'lost', { at: now, cause: 'host_lost' }, waits))) continue;
      tx.onCommit(() => {
        wake.wake('builds', String(mac.accountId));
        wake.wake('orders', String(mac.accountId));
      });
    }
  });
}
