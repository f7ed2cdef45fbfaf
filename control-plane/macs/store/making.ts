// Macs that are being created.
import { hostFields } from '../../hosts/domain/host.js';
import { text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { Machine, MacState } from '../domain/mac.js';
import { type FailingMac, type MacMaking, makingElsewhere } from '../domain/making.js';
import { recordState } from './mac-states.js';
import { macs } from './macs.js';

/** A Mac that is being created, with what may prevent that in its slot. */
export interface Making {
  readonly machine: Machine;
  readonly hostRemoved: boolean;
}

const making = macs.and({ hostStatus: ['h.status', hostFields.status] });
const MAKING = `JOIN slots s ON s.slot_id = macs.slot_id JOIN hosts h ON h.host_id = s.host_id
  WHERE macs.state = 'preparing'`;

const toMaking = ({ hostStatus, ...machine }: Selected<typeof making>): Making => ({
  machine,
  hostRemoved: hostStatus === 'removed',
});

const failing = macs.and({
  hostId: ['s.host_id', hostFields.hostId],
  hostName: ['h.name', hostFields.name],
  orgName: ['a.name', text()],
});

/** Returns the Macs that their hosts could not make when they last tried. */
export async function readFailingMacs(q: Queries): Promise<(FailingMac & { hostId: string; hostName: string })[]> {
  const rows = await failing.all(
    q,
    `JOIN organizations a ON a.id = macs.account_id
     ${MAKING} AND macs.making IS NOT NULL ORDER BY s.host_id, s.position`,
  );
  return rows.flatMap(({ rentalId, name, orgName, hostId, hostName, making }) =>
    making?.problem ? [{ rentalId, name, orgName, hostId, hostName, problem: making.problem }] : [],
  );
}

/** Returns every Mac that is being created, longest first. */
export async function readMaking(q: Queries): Promise<Making[]> {
  return (await making.all(q, `${MAKING} ORDER BY macs.preparing_since`)).map(toMaking);
}

/** Returns null if the Mac is not being created. */
export async function findMaking(q: Queries, rentalId: string): Promise<Making | null> {
  const found = await making.get(q, `${MAKING} AND macs.rental_id = :rentalId`, { rentalId });
  return found && toMaking(found);
}

export interface NewMachine
  extends Pick<Machine, 'rentalId' | 'accountId' | 'name' | 'slotId' | 'tier' | 'xcode' | 'usableUntil'> {
  readonly state: Extract<MacState, 'reserved' | 'preparing'>;
  readonly now: number;
}

const insertWhereEmpty = macs.inserter({
  where: `:state = 'reserved' OR NOT EXISTS (SELECT 1 FROM macs
    WHERE slot_id = :slotId AND state <> 'ended' AND state <> 'reserved')`,
});

/** Returns false if the Mac has to be created at once and the slot already has one. */
export async function insertMachine(tx: Transaction, { now, ...machine }: NewMachine): Promise<boolean> {
  const preparingSince = machine.state === 'preparing' ? now : null;
  if (!(await insertWhereEmpty(tx, { ...machine, preparingSince, createdAt: now }))) return false;
  await recordState(tx, machine.rentalId, machine.state, { at: now, cause: 'rented' });
  return true;
}

/**
 * Moves a Mac that is being created to another slot. Returns false if it is no longer being created or the slot is
 * not empty.
 */
export async function moveMaking(
  tx: Transaction,
  seen: Pick<Machine, 'rentalId' | 'generation' | 'making'>,
  to: Pick<Machine, 'slotId' | 'awaySince'> & { readonly now: number },
): Promise<boolean> {
  const making = makingElsewhere(seen);
  const { changes } = await tx.run(
    `UPDATE macs SET slot_id = :slotId, generation = generation + 1, preparing_since = :now, prepare_failed = 0,
       repairing = 0, repair_at = NULL, away_since = :awaySince, making = :making
     WHERE rental_id = :rentalId AND state = 'preparing' AND generation = :generation
       AND NOT EXISTS (SELECT 1 FROM macs other WHERE other.slot_id = :slotId AND other.state <> 'ended'
         AND other.state <> 'reserved' AND other.rental_id <> :rentalId)`,
    { rentalId: seen.rentalId, generation: seen.generation, making: making && JSON.stringify(making), ...to },
  );
  if (changes !== 1) return false;
  await recordState(tx, seen.rentalId, 'preparing', { at: to.now, cause: 'moved' });
  return true;
}

/** Sets since when the Mac is being created in its slot, and since when it is unavailable. */
export async function setMakingSince(
  tx: Transaction,
  { rentalId, awaySince, preparingSince }: Pick<Machine, 'rentalId' | 'awaySince' | 'preparingSince'>,
): Promise<void> {
  await macs.update(tx, { rentalId, state: 'preparing' }, { awaySince, preparingSince });
}

/** Records what the host says of a Mac that it is making or changing. */
export async function recordMaking(
  tx: Transaction,
  { rentalId, generation, state }: Pick<Machine, 'rentalId' | 'generation' | 'state'>,
  making: MacMaking,
): Promise<void> {
  await macs.update(tx, { rentalId, generation, state }, { making });
}

/** Records that the host cannot create this Mac. */
export async function recordPrepareFailure(
  tx: Transaction,
  { rentalId, generation }: Pick<Machine, 'rentalId' | 'generation'>,
): Promise<void> {
  await macs.update(tx, { rentalId, generation, state: 'preparing' }, { prepareFailed: true });
}
