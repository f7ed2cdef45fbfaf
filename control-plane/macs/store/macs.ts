// Macs, joined with their tier, slot and host.
import { type HostStatus, selectableXcodes, takesBuilds } from '../../hosts/domain/host.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import { type JobKind, jobProgress, jobTarget } from '../domain/job.js';
import {
  type Mac,
  type MacEvent,
  type Machine,
  type MacState,
  macTransitions,
  type OpenJob,
} from '../domain/mac.js';

interface MachineRow {
  rental_id: string;
  account_id: number;
  slot_id: string;
  tier: string;
  xcode: string | null;
  runtimes: string;
  tools: string;
  state: MacState;
  generation: number;
  revision: number;
  usable_until: number;
  ready_at: number | null;
  build_id: string | null;
  preparing_since: number | null;
  prepare_failed: number;
  repairing: number;
  repairs: number;
  away_since: number | null;
  created_at: number;
}

interface MacRow extends MachineRow {
  host_id: string;
  host_status: HostStatus;
  host_draining: number;
  host_disk_low: number;
  host_connected: number;
  host_last_seen_at: number | null;
  host_removed_at: number | null;
  host_xcodes: string | null;
  xcode_versions: string;
  tier_runtimes: string;
  tier_tools: string;
  image: string | null;
  job_id: string | null;
  job_kind: JobKind;
  job_status: OpenJob['status'];
  job_target: string;
  job_revision: number | null;
  job_progress: string | null;
}

function toMachine(row: MachineRow): Machine {
  return {
    rentalId: row.rental_id,
    accountId: row.account_id,
    slotId: row.slot_id,
    tier: row.tier,
    xcode: row.xcode,
    runtimes: listOf(row.runtimes),
    tools: listOf(row.tools),
    state: row.state,
    generation: row.generation,
    revision: row.revision,
    usableUntil: row.usable_until,
    readyAt: row.ready_at,
    buildId: row.build_id,
    preparingSince: row.preparing_since,
    prepareFailed: row.prepare_failed === 1,
    repairing: row.repairing === 1,
    repairs: row.repairs,
    awaySince: row.away_since,
    createdAt: row.created_at,
  };
}

function toMac(row: MacRow): Mac {
  const { state } = row;
  if (state === 'ended')
    throw new Error(`the Mac ${row.rental_id} is gone but was read as one that is there`);
  return {
    ...toMachine(row),
    state,
    hostId: row.host_id,
    hostTakesBuilds: takesBuilds({
      status: row.host_status,
      draining: row.host_draining === 1,
      diskLow: row.host_disk_low === 1,
      connected: row.host_connected === 1,
    }),
    hostLastSeenAt: row.host_last_seen_at,
    hostRemovedAt: row.host_removed_at,
    xcodeVersions: selectableXcodes(
      listOf(row.xcode_versions),
      row.host_xcodes === null ? null : listOf(row.host_xcodes),
    ),
    tierRuntimes: listOf(row.tier_runtimes),
    tierTools: listOf(row.tier_tools),
    image: row.image,
    openJob: openJobOf(row),
  };
}

function openJobOf(row: MacRow): OpenJob | null {
  if (row.job_id === null) return null;
  return {
    jobId: row.job_id,
    kind: row.job_kind,
    status: row.job_status,
    target: jobTarget.parse(JSON.parse(row.job_target)),
    revision: row.job_revision,
    progress: row.job_progress === null ? null : jobProgress.parse(JSON.parse(row.job_progress)),
  };
}

// There are few different lists, and one is read with every Mac.
const parsedLists = new Map<string, readonly string[]>();

function listOf(column: string): readonly string[] {
  let list = parsedLists.get(column);
  if (!list) {
    list = readStrings(column);
    if (parsedLists.size >= 1000) parsedLists.clear();
    parsedLists.set(column, list);
  }
  return list;
}

// `state <> 'ended'` stands in every query of Macs that are there, because the indexes are made for it.
const MACS = `SELECT m.*, s.host_id, h.status AS host_status, h.draining AS host_draining,
    h.disk_low AS host_disk_low, h.xcodes AS host_xcodes,
    h.connected AS host_connected, CASE WHEN h.connected = 1 THEN NULL ELSE h.last_seen_at END AS host_last_seen_at,
    h.revoked_at AS host_removed_at, t.xcode_versions, t.runtimes AS tier_runtimes, t.tools AS tier_tools, t.image,
    j.job_id, j.kind AS job_kind, j.status AS job_status, j.target AS job_target,
    j.revision AS job_revision, j.progress AS job_progress
  FROM macs m
  JOIN slots s ON s.slot_id = m.slot_id
  JOIN hosts h ON h.host_id = s.host_id
  JOIN tiers t ON t.tier = m.tier
  LEFT JOIN jobs j ON j.rental_id = m.rental_id AND j.status IN ('queued', 'running')`;

/** The account's Macs, oldest first. */
export async function readMacs(q: Queries, accountId: number): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE m.account_id = :accountId AND m.state <> 'ended' ORDER BY m.created_at, m.rental_id`,
    { accountId },
  );
  return rows.map(toMac);
}

/** Returns Macs on removed hosts. */
export async function readStrandedMacs(q: Queries): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE h.status = 'removed' AND m.state <> 'ended' AND m.state NOT IN ('reserved', 'preparing')`,
  );
  return rows.map(toMac);
}

/** Returns the Macs in the slots of one host, including reserved ones. */
export async function readMacsOfHost(q: Queries, hostId: string): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE m.slot_id IN (SELECT slot_id FROM slots WHERE host_id = :hostId) AND m.state <> 'ended'
     ORDER BY s.position`,
    { hostId },
  );
  return rows.map(toMac);
}

/** Returns the Mac of any account, including removed ones; null if there was none. */
export async function findMachine(q: Queries, rentalId: string): Promise<Machine | null> {
  const row = await q.get<MachineRow>('SELECT * FROM macs WHERE rental_id = :rentalId', { rentalId });
  return row ? toMachine(row) : null;
}

/** Returns Macs of any account, including removed ones, in the order of the ids. */
export async function readMachines(q: Queries, rentalIds: readonly string[]): Promise<Machine[]> {
  const found = new Map<string, Machine>();
  for (const { list, params } of inChunks(rentalIds)) {
    const rows = await q.all<MachineRow>(`SELECT * FROM macs WHERE rental_id IN (${list})`, params);
    for (const row of rows) found.set(row.rental_id, toMachine(row));
  }
  return rentalIds.flatMap((rentalId) => found.get(rentalId) ?? []);
}

/** Returns the Mac that is in the slot now, regardless of the calendar; null if it is empty. */
export async function findTenant(q: Queries, slotId: string): Promise<Machine | null> {
  const row = await q.get<MachineRow>(
    `SELECT * FROM macs WHERE slot_id = :slotId AND state <> 'ended' AND state <> 'reserved'`,
    { slotId },
  );
  return row ? toMachine(row) : null;
}

/** A Mac that is being created, with what may prevent that in its slot. */
export interface Making {
  readonly machine: Machine;
  readonly hostRemoved: boolean;
}

type MakingRow = MachineRow & { host_status: HostStatus };

const MAKING = `SELECT m.*, h.status AS host_status FROM macs m
  JOIN slots s ON s.slot_id = m.slot_id JOIN hosts h ON h.host_id = s.host_id WHERE m.state = 'preparing'`;

const toMaking = (row: MakingRow): Making => ({
  machine: toMachine(row),
  hostRemoved: row.host_status === 'removed',
});

/** Returns every Mac that is being created, longest first. */
export async function readMaking(q: Queries): Promise<Making[]> {
  return (await q.all<MakingRow>(`${MAKING} ORDER BY m.preparing_since`)).map(toMaking);
}

/** Returns null if the Mac is not being created. */
export async function findMaking(q: Queries, rentalId: string): Promise<Making | null> {
  const row = await q.get<MakingRow>(`${MAKING} AND m.rental_id = :rentalId`, { rentalId });
  return row ? toMaking(row) : null;
}

export interface NewMachine extends Pick<Machine, 'rentalId' | 'accountId' | 'slotId' | 'tier' | 'xcode'> {
  readonly state: Extract<MacState, 'reserved' | 'preparing'>;
  readonly usableUntil: number;
  readonly now: number;
}

/** Returns false if the Mac has to be created at once and the slot already has one. */
export async function insertMachine(tx: Transaction, machine: NewMachine): Promise<boolean> {
  const { changes } = await tx.run(
    `INSERT INTO macs (rental_id, account_id, slot_id, tier, xcode, runtimes, tools, state, generation,
       usable_until, preparing_since, created_at)
     SELECT :rentalId, :accountId, :slotId, :tier, :xcode, '[]', '[]', :state, 1, :usableUntil,
       CASE WHEN :state = 'preparing' THEN :now END, :now
     WHERE :state = 'reserved' OR NOT EXISTS (SELECT 1 FROM macs
       WHERE slot_id = :slotId AND state <> 'ended' AND state <> 'reserved')`,
    { ...machine },
  );
  return changes === 1;
}

const CHANGE_COLUMNS = {
  buildId: 'build_id',
  readyAt: 'ready_at',
  generation: 'generation',
  revision: 'revision',
  xcode: 'xcode',
  runtimes: 'runtimes',
  tools: 'tools',
  preparingSince: 'preparing_since',
  prepareFailed: 'prepare_failed',
  repairing: 'repairing',
  repairs: 'repairs',
  awaySince: 'away_since',
} as const;
export type MachineChanges = Partial<Pick<Machine, keyof typeof CHANGE_COLUMNS>>;

/**
 * Applies `event` to a Mac in the state that was read. Returns false if the transition is not allowed or the Mac has
 * changed since it was read.
 */
export async function changeMachine(
  tx: Transaction,
  seen: Pick<Machine, 'rentalId' | 'state' | 'buildId'>,
  event: MacEvent,
  changes: MachineChanges,
): Promise<boolean> {
  const to = macTransitions[seen.state][event];
  if (to === null) return false;
  const params: Record<string, SqlValue> = {
    rentalId: seen.rentalId,
    from: seen.state,
    to,
    seenBuild: seen.buildId ?? '',
  };
  let set = '';
  for (const name of Object.keys(changes) as (keyof MachineChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    const value = changes[name] ?? null;
    if (typeof value === 'boolean') params[name] = Number(value);
    else params[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  }
  const { changes: changed } = await tx.run(
    `UPDATE macs SET state = :to${set}
     WHERE rental_id = :rentalId AND state = :from AND COALESCE(build_id, '') = :seenBuild`,
    params,
  );
  return changed === 1;
}

export async function setUsableUntil(tx: Transaction, rentalId: string, until: number): Promise<void> {
  await tx.run('UPDATE macs SET usable_until = :until WHERE rental_id = :rentalId', { rentalId, until });
}

/** Moves a reserved Mac to another slot. Returns false if it is not reserved any more. */
export async function moveReserved(tx: Transaction, rentalId: string, slotId: string): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE macs SET slot_id = :slotId WHERE rental_id = :rentalId AND state = 'reserved'`,
    { rentalId, slotId },
  );
  return changes === 1;
}

/**
 * Moves a Mac that is being created to another slot. Returns false if it is not being created any more or the slot is
 * not empty.
 */
export async function moveMaking(
  tx: Transaction,
  seen: Pick<Machine, 'rentalId' | 'generation'>,
  to: Pick<Machine, 'slotId' | 'awaySince'> & { readonly now: number },
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE macs SET slot_id = :slotId, generation = generation + 1, preparing_since = :now, prepare_failed = 0,
       repairing = 0, away_since = :awaySince
     WHERE rental_id = :rentalId AND state = 'preparing' AND generation = :generation
       AND NOT EXISTS (SELECT 1 FROM macs other WHERE other.slot_id = :slotId AND other.state <> 'ended'
         AND other.state <> 'reserved' AND other.rental_id <> :rentalId)`,
    { rentalId: seen.rentalId, generation: seen.generation, ...to },
  );
  return changes === 1;
}

/** Sets since when the Mac is being created in its slot, and since when it is unavailable. */
export async function setMakingSince(
  tx: Transaction,
  to: Pick<Machine, 'rentalId' | 'awaySince' | 'preparingSince'>,
): Promise<void> {
  await tx.run(
    `UPDATE macs SET away_since = :awaySince, preparing_since = :preparingSince
     WHERE rental_id = :rentalId AND state = 'preparing'`,
    { rentalId: to.rentalId, awaySince: to.awaySince, preparingSince: to.preparingSince },
  );
}

/** Records that the host cannot create this Mac. */
export async function recordPrepareFailure(
  tx: Transaction,
  seen: Pick<Machine, 'rentalId' | 'generation'>,
): Promise<void> {
  await tx.run(
    `UPDATE macs SET prepare_failed = 1 WHERE rental_id = :rentalId AND generation = :generation
       AND state = 'preparing'`,
    { rentalId: seen.rentalId, generation: seen.generation },
  );
}

/** Every Xcode version that some tier offers. */
export async function readXcodeCatalog(q: Queries): Promise<Set<string>> {
  const rows = await q.all<{ xcode_versions: string }>('SELECT xcode_versions FROM tiers');
  return new Set(rows.flatMap((row) => readStrings(row.xcode_versions)));
}
