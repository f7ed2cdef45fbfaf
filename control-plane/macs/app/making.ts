// Reserves a slot for a Mac, creates the Mac, moves it and removes it. For use inside a transaction.
import { slotChanged, wakeHostOf } from '../../hosts/app/slots.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Mac, Machine } from '../domain/mac.js';
import { insertJob } from '../store/jobs.js';
import * as rows from '../store/macs.js';
import * as makingRows from '../store/making.js';
import { failJobOfEnded, type JobChangeDeps } from './job-changes.js';
import { nameNewMac, releaseNames } from './mac-names.js';

export { setUsableUntil as keepUntil } from '../store/macs.js';
export type { Making } from '../store/making.js';
export {
  findMaking as findMacInMaking,
  readMaking as macsInMaking,
  setMakingSince as restartMaking,
} from '../store/making.js';

/** Name: the one that was asked for; null: a numbered one. */
export type NewMac = Omit<makingRows.NewMachine, 'name'> & { readonly name: string | null };

/**
 * Reserves the slot for a new Mac, or has the Mac created there at once.
 *
 * @returns false if the Mac has to be created at once and the slot is not empty
 */
export async function addMac(tx: Transaction, deps: Pick<JobChangeDeps, 'wake'>, machine: NewMac): Promise<boolean> {
  const name = await nameNewMac(tx, machine, machine.name);
  if (!(await makingRows.insertMachine(tx, { ...machine, name }))) {
    await releaseNames(tx, machine.rentalId);
    return false;
  }
  await slotChanged(tx, machine.slotId);
  if (machine.state === 'preparing') await tellHost(tx, deps, machine, machine.now);
  return true;
}

/** Has a reserved Mac created now. Returns false if it is no longer reserved. */
export async function beginMac(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Pick<Machine, 'rentalId' | 'accountId' | 'slotId'>,
): Promise<boolean> {
  const now = deps.clock.now();
  const seen = { rentalId: mac.rentalId, state: 'reserved', buildId: null } as const;
  if (!(await rows.changeMachine(tx, seen, 'begin', { at: now, cause: 'begun' }, { preparingSince: now })))
    return false;
  await slotChanged(tx, mac.slotId);
  await tellHost(tx, deps, mac, now);
  return true;
}

/** Adds the Mac to its host's desired state, with a job that shows the progress. */
async function tellHost(
  tx: Transaction,
  deps: Pick<JobChangeDeps, 'wake'>,
  { accountId, rentalId, slotId }: Pick<Machine, 'rentalId' | 'accountId' | 'slotId'>,
  now: number,
): Promise<void> {
  const target = { keepCache: false };
  const job = { accountId, rentalId, kind: 'provision', status: 'running', when: null, target } as const;
  await insertJob(tx, { ...job, jobId: newId('op'), revision: 1, now });
  tx.onCommit(() => {
    deps.wake.wake('jobs', rentalId);
    deps.wake.wake('macs', String(accountId));
  });
  await wakeHostOf(tx, deps.wake, slotId);
}

/** Moves a reserved Mac to another slot. Returns false if it is no longer reserved. */
export async function moveReservedMac(
  tx: Transaction,
  { rentalId, slotId }: Pick<Machine, 'rentalId' | 'slotId'>,
  to: string,
): Promise<boolean> {
  if (!(await rows.moveReserved(tx, rentalId, to))) return false;
  await slotChanged(tx, slotId);
  await slotChanged(tx, to);
  return true;
}

/** Moves a Mac that is being created to another slot. Returns false if that is no longer possible. */
export async function moveMac(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Machine,
  to: Pick<Machine, 'slotId' | 'awaySince'>,
): Promise<boolean> {
  if (!(await makingRows.moveMaking(tx, mac, { ...to, now: deps.clock.now() }))) return false;
  for (const slotId of [mac.slotId, to.slotId]) {
    await slotChanged(tx, slotId);
    await wakeHostOf(tx, deps.wake, slotId);
  }
  return true;
}

/** Removes the Mac from its account; its host deletes it. Its open job fails, and its name is free. */
export async function endMac(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<void> {
  const ended = { at: deps.clock.now(), cause: 'rental_ended' } as const;
  await rows.changeMachine(tx, mac, 'end', ended, { buildId: null });
  await releaseNames(tx, mac.rentalId);
  await slotChanged(tx, mac.slotId);
  await failJobOfEnded(tx, deps, mac);
  tx.onCommit(() => {
    deps.wake.wake('host', mac.hostId);
    deps.wake.wake('macs', String(mac.accountId));
  });
}
