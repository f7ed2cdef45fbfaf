// How Macs come and go: promised a slot, made there, moved to another one, taken away. For use inside a transaction.
import { slotChanged, wakeHostOf } from '../../hosts/app/slots.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Mac, Machine } from '../domain/mac.js';
import { insertJob } from '../store/jobs.js';
import * as rows from '../store/macs.js';
import { failJobOfEnded, type JobChangeDeps } from './job-changes.js';

export type { Making, NewMachine } from '../store/macs.js';

/**
 * Promises the slot to a new Mac, or has it made there at once.
 *
 * @returns false when it would have to be made at once and the slot is not empty
 */
export async function addMac(
  tx: Transaction,
  deps: Pick<JobChangeDeps, 'wake'>,
  machine: rows.NewMachine,
): Promise<boolean> {
  if (!(await rows.insertMachine(tx, machine))) return false;
  await slotChanged(tx, machine.slotId);
  if (machine.state === 'preparing') await tellHost(tx, deps, machine, machine.now);
  return true;
}

/** Has a reserved Mac made now; false when it is not reserved any more. */
export async function beginMac(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Pick<Machine, 'rentalId' | 'accountId' | 'slotId'>,
): Promise<boolean> {
  const now = deps.clock.now();
  const seen = { rentalId: mac.rentalId, state: 'reserved', buildId: null } as const;
  if (!(await rows.changeMachine(tx, seen, 'begin', { preparingSince: now }))) return false;
  await slotChanged(tx, mac.slotId);
  await tellHost(tx, deps, mac, now);
  return true;
}

/** The host is told to make the Mac, and a job says how far that has come. */
async function tellHost(
  tx: Transaction,
  deps: Pick<JobChangeDeps, 'wake'>,
  { accountId, rentalId, slotId }: Pick<Machine, 'rentalId' | 'accountId' | 'slotId'>,
  now: number,
): Promise<void> {
  const target = { keepCache: false };
  const job = { accountId, rentalId, kind: 'provision', status: 'running', when: null, target } as const;
  await insertJob(tx, { ...job, revision: 1, now });
  tx.onCommit(() => deps.wake.wake('jobs', rentalId));
  await wakeHostOf(tx, deps.wake, slotId);
}

/** Promises a reserved Mac another slot; false when it is not reserved any more. */
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

/** Has a Mac that is being made made anew in another slot; false when that cannot be any more. */
export async function moveMac(
  tx: Transaction,
  deps: JobChangeDeps,
  mac: Machine,
  to: Pick<Machine, 'slotId' | 'awaySince'>,
): Promise<boolean> {
  if (!(await rows.moveMaking(tx, mac, { ...to, now: deps.clock.now() }))) return false;
  for (const slotId of [mac.slotId, to.slotId]) {
    await slotChanged(tx, slotId);
    await wakeHostOf(tx, deps.wake, slotId);
  }
  return true;
}

/** Counts anew since when a Mac is being made where it is, and since when it is kept away. */
export function restartMaking(
  tx: Transaction,
  to: Pick<Machine, 'rentalId' | 'preparingSince' | 'awaySince'>,
): Promise<void> {
  return rows.setMakingSince(tx, to);
}

/** Lets builds begin on the Mac until then. */
export function keepUntil(tx: Transaction, rentalId: string, until: number): Promise<void> {
  return rows.setUsableUntil(tx, rentalId, until);
}

/** Takes the Mac away from its account; its host removes it. A job that is open on it fails. */
export async function endMac(tx: Transaction, deps: JobChangeDeps, mac: Mac): Promise<void> {
  await rows.changeMachine(tx, mac, 'end', { buildId: null });
  await slotChanged(tx, mac.slotId);
  await failJobOfEnded(tx, deps, mac);
  tx.onCommit(() => deps.wake.wake('host', mac.hostId));
}

/** Returns every Mac that is being made, longest first. */
export function macsInMaking(q: Queries): Promise<rows.Making[]> {
  return rows.readMaking(q);
}

/** Returns null when the Mac is not being made. */
export function findMacInMaking(q: Queries, rentalId: string): Promise<rows.Making | null> {
  return rows.findMaking(q, rentalId);
}
