// Macs, joined with their tier, slot and host.
import { hostFields, selectableXcodes, takesBuilds } from '../../hosts/domain/host.js';
import { int, strings, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, SqlParams, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { jobFields } from '../domain/job.js';
import { type Mac, type MacEvent, type Machine, machineFields, macTransitions, type OpenJob } from '../domain/mac.js';
import type { MacChange } from '../domain/mac-state.js';
import { tierFields } from '../domain/tier.js';
import { offeredOn } from '../domain/tier-image.js';
import { imageOffers } from './images.js';
import { recordState } from './mac-states.js';

export const macs = table('macs', machineFields);

const names = macs.pick('rentalId', 'name');

const joined = macs.and({
  hostId: ['s.host_id', hostFields.hostId],
  labels: ['h.labels', hostFields.labels],
  hostStatus: ['h.status', hostFields.status],
  hostDraining: ['h.draining', hostFields.draining],
  hostDiskLow: ['h.disk_low', hostFields.diskLow],
  hostConnected: ['h.connected', hostFields.connected],
  hostLastSeenAt: ['CASE WHEN h.connected = 1 THEN NULL ELSE h.last_seen_at END', int().orNull],
  hostRemovedAt: ['h.revoked_at', int().orNull],
  hostXcodes: ['h.xcodes', strings().orNull],
  tierXcodes: ['t.xcode_versions', tierFields.xcodeVersions],
  tierRuntimes: ['t.runtimes', tierFields.runtimes],
  tierTools: ['t.tools', tierFields.tools],
  tierDefaultXcode: ['t.default_xcode', tierFields.defaultXcode],
  tierFromImage: ['t.from_image', tierFields.fromImage],
  madeOffers: ['o.offers', imageOffers.fields.offers.orNull],
  image: ['t.image', tierFields.image],
  imageDigest: ['t.image_digest', tierFields.imageDigest],
  tierSpec: ['t.spec', tierFields.spec],
  jobId: ['j.job_id', text().orNull],
  jobKind: ['j.kind', jobFields.kind],
  jobStatus: ['j.status', text<OpenJob['status']>()],
  jobTarget: ['j.target', jobFields.target],
  jobRevision: ['j.revision', jobFields.revision],
  jobProgress: ['j.progress', jobFields.progress],
});

/**
 * Written out: copying the rest of so large a row takes 20 µs, and the queue of an account with 200 Macs is read at
 * each step of the scheduler.
 */
function toMac(row: Selected<typeof joined>): Mac {
  const { state } = row;
  if (state === 'ended') throw new Error(`the Mac ${row.rentalId} is gone but was read as one that is there`);
  const ofTier = { xcodeVersions: row.tierXcodes, runtimes: row.tierRuntimes, tools: row.tierTools };
  const offered = offeredOn({ ...ofTier, fromImage: row.tierFromImage }, row.madeOffers);
  return {
    rentalId: row.rentalId,
    accountId: row.accountId,
    name: row.name,
    slotId: row.slotId,
    tier: row.tier,
    xcode: row.xcode,
    runtimes: row.runtimes,
    tools: row.tools,
    generation: row.generation,
    revision: row.revision,
    usableUntil: row.usableUntil,
    readyAt: row.readyAt,
    buildId: row.buildId,
    preparingSince: row.preparingSince,
    madeFrom: row.madeFrom,
    prepareFailed: row.prepareFailed,
    making: row.making,
    repairing: row.repairing,
    repairs: row.repairs,
    repairAt: row.repairAt,
    awaySince: row.awaySince,
    createdAt: row.createdAt,
    hostId: row.hostId,
    labels: row.labels,
    hostLastSeenAt: row.hostLastSeenAt,
    hostRemovedAt: row.hostRemovedAt,
    image: row.image,
    imageDigest: row.imageDigest,
    tierSpec: row.tierSpec,
    state,
    hostTakesBuilds: takesBuilds({
      status: row.hostStatus,
      draining: row.hostDraining,
      diskLow: row.hostDiskLow,
      connected: row.hostConnected,
    }),
    xcodeVersions: selectableXcodes(offered.xcodeVersions, row.hostXcodes),
    tierRuntimes: offered.runtimes,
    tierTools: offered.tools,
    onNewMac: { ...ofTier, defaultXcode: row.tierDefaultXcode },
    openJob: openJobOf(row),
  };
}

const openJobOf = (row: Selected<typeof joined>): OpenJob | null =>
  row.jobId === null
    ? null
    : {
        jobId: row.jobId,
        kind: row.jobKind,
        status: row.jobStatus,
        target: row.jobTarget,
        revision: row.jobRevision,
        progress: row.jobProgress,
      };

/** @param rest conditions and order. all contain `state <> 'ended'`, which the partial indexes require */
async function readJoined(q: Queries, rest: string, params?: SqlParams): Promise<Mac[]> {
  const rows = await joined.all(
    q,
    `JOIN slots s ON s.slot_id = macs.slot_id
     JOIN hosts h ON h.host_id = s.host_id
     JOIN tiers t ON t.tier = macs.tier
     LEFT JOIN image_offers o ON o.tier = macs.tier AND o.digest = macs.made_from
     LEFT JOIN jobs j ON j.rental_id = macs.rental_id AND j.status IN ('queued', 'running')
     ${rest}`,
    params,
  );
  return rows.map(toMac);
}

/** The account's Macs, oldest first. */
export function readMacs(q: Queries, accountId: number): Promise<Mac[]> {
  return readJoined(
    q,
    `WHERE macs.account_id = :accountId AND macs.state <> 'ended' ORDER BY macs.created_at, macs.rental_id`,
    { accountId },
  );
}

/** Returns Macs on removed hosts. */
export function readStrandedMacs(q: Queries): Promise<Mac[]> {
  return readJoined(
    q,
    `WHERE h.status = 'removed' AND macs.state <> 'ended' AND macs.state NOT IN ('reserved', 'preparing')`,
  );
}

/** Returns the Macs in the slots of one host, including reserved ones. */
export function readMacsOfHost(q: Queries, hostId: string): Promise<Mac[]> {
  return readJoined(
    q,
    `WHERE macs.slot_id IN (SELECT slot_id FROM slots WHERE host_id = :hostId) AND macs.state <> 'ended'
     ORDER BY s.position`,
    { hostId },
  );
}

/** Returns the Mac of any account, including removed ones; null if there was none. */
export function findMachine(q: Queries, rentalId: string): Promise<Machine | null> {
  return macs.get(q, 'WHERE rental_id = :rentalId', { rentalId });
}

/** Returns Macs of any account, including removed ones, in the order of the ids. */
export async function readMachines(q: Queries, rentalIds: readonly string[]): Promise<Machine[]> {
  const found = new Map<string, Machine>();
  for (const { list, params } of inChunks(rentalIds)) {
    const some = await macs.all(q, `WHERE rental_id IN (${list})`, params);
    for (const machine of some) found.set(machine.rentalId, machine);
  }
  return rentalIds.flatMap((rentalId) => found.get(rentalId) ?? []);
}

/** Returns the names of Macs of any account, including removed ones, by id. */
export async function readNames(q: Queries, rentalIds: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { list, params } of inChunks(rentalIds)) {
    const some = await names.all(q, `WHERE rental_id IN (${list})`, params);
    for (const { rentalId, name } of some) found.set(rentalId, name);
  }
  return found;
}

/** Returns the Mac that is in the slot now, regardless of the calendar; null if it is empty. */
export function findTenant(q: Queries, slotId: string): Promise<Machine | null> {
  return macs.get(q, `WHERE slot_id = :slotId AND state <> 'ended' AND state <> 'reserved'`, { slotId });
}

export type MachineChanges = Partial<
  Omit<Machine, 'rentalId' | 'accountId' | 'name' | 'slotId' | 'tier' | 'state' | 'usableUntil' | 'createdAt'>
>;

/**
 * Applies `event` to a Mac in the state that was read, and records the state in its history. Returns false if the
 * transition is not allowed or the Mac has changed since it was read.
 */
export async function changeMachine(
  tx: Transaction,
  { rentalId, state, buildId }: Pick<Machine, 'rentalId' | 'state' | 'buildId'>,
  event: MacEvent,
  change: MacChange,
  changes: MachineChanges = {},
): Promise<boolean> {
  const to = macTransitions[state][event];
  if (to === null) return false;
  const changed = await macs.update(tx, { rentalId, state, buildId }, { ...changes, state: to });
  if (changed !== 1) return false;
  await recordState(tx, rentalId, to, change);
  return true;
}

/** Sets until when builds may start on the Mac. */
export async function setUsableUntil(tx: Transaction, rentalId: string, usableUntil: number): Promise<void> {
  await macs.update(tx, { rentalId }, { usableUntil });
}

/** Moves a reserved Mac to another slot. Returns false if it is no longer reserved. */
export async function moveReserved(tx: Transaction, rentalId: string, slotId: string): Promise<boolean> {
  return (await macs.update(tx, { rentalId, state: 'reserved' }, { slotId })) === 1;
}

/** The name must be held by the Mac (`mac-names.ts`). */
export async function setName(tx: Transaction, rentalId: string, name: string): Promise<void> {
  await macs.update(tx, { rentalId }, { name });
}
