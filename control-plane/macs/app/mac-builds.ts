// Assigns Macs to builds and frees them. For use inside a transaction.
import type { Transaction } from '../../platform/store/sql.js';
import type { Mac } from '../domain/mac.js';
import { planRepair, type RepairLimits } from '../domain/repair.js';
import { changeMachine, findMachine } from '../store/macs.js';
import { type JobChangeDeps, makingAgain } from './job-changes.js';

/** Assigns an idle Mac to a build. Returns false if it is no longer idle. */
export function assignBuild(tx: Transaction, mac: Mac, buildId: string, now: number): Promise<boolean> {
  return changeMachine(tx, mac, 'assign', { at: now, cause: 'build_started' }, { buildId });
}

/**
 * The condition of a Mac after a build. unconfirmed: processes of the build may still run there, so the Mac takes no
 * build until its host reports it ready, which it does only once the build has ended. broken: a build could not be
 * prepared, so the host has to repair the Mac first.
 */
export type MacLeft = 'free' | 'unconfirmed' | 'broken';

/** Takes the Mac from a build that has been running on it. */
export async function leaveMac(
  tx: Transaction,
  deps: JobChangeDeps & { readonly limits: RepairLimits },
  { rentalId, buildId }: { rentalId: string; buildId: string },
  left: MacLeft,
): Promise<void> {
  const seen = { rentalId, state: 'building', buildId } as const;
  const mac = left === 'free' ? null : await findMachine(tx, rentalId);
  const now = deps.clock.now();
  if (mac === null) {
    const ended = { at: now, cause: 'build_ended' } as const;
    await changeMachine(tx, seen, 'release', ended, { buildId: null, repairs: 0 });
    return;
  }
  // Unconfirmed: a new revision without a change, which the host reports once no build runs in the slot.
  const next = left === 'broken' ? planRepair(mac, now, deps.limits) : { revision: mac.revision + 1 };
  const cause = left === 'broken' ? 'repair' : 'unconfirmed';
  await changeMachine(tx, seen, 'lost', { at: now, cause }, { ...makingAgain(mac, now), ...next, buildId: null });
  // Provisioning moves it to another host if necessary.
  if (left === 'broken') tx.onCommit(() => deps.wake.wake('availability'));
}
