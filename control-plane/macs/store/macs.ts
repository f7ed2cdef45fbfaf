// Rentals, with what tier, slot and host say of each Mac.
import { type HostStatus, selectableXcodes, takesBuilds } from '../../hosts/domain/host.js';
import { touchRental, touchSlot } from '../../hosts/store/calendar-revision.js';
import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import type { JobKind } from '../domain/job.js';
import {
  type Mac,
  type OpenJob,
  type Rental,
  type RentalEvent,
  type RentalState,
  rentalTransitions,
} from '../domain/mac.js';
import { readProgress, readTarget } from './jobs.js';

export interface RentalRow {
  rental_id: string;
  account_id: number;
  order_no: string | null;
  slot_id: string;
  tier: string;
  xcode: string | null;
  runtimes: string;
  tools: string;
  state: RentalState;
  generation: number;
  revision: number;
  hours: number;
  starts_at: number;
  ready_at: number | null;
  ends_at: number;
  ended_at: number | null;
  build_id: string | null;
  preparing_since: number | null;
  prepare_failed: number;
  repairing: number;
  repairs: number;
  away_since: number | null;
  granted: Rental['granted'];
  amount_won: number;
  end_requested_at: number | null;
  created_at: number;
}

interface MacRow extends RentalRow {
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
  price_won: number;
  max_days: number;
  job_id: string | null;
  job_kind: JobKind;
  job_status: OpenJob['status'];
  job_target: string;
  job_revision: number | null;
  job_progress: string | null;
}

export function toRental(row: RentalRow): Rental {
  return {
    rentalId: row.rental_id,
    accountId: row.account_id,
    orderNo: row.order_no,
    slotId: row.slot_id,
    tier: row.tier,
    xcode: row.xcode,
    runtimes: listOf(row.runtimes),
    tools: listOf(row.tools),
    state: row.state,
    generation: row.generation,
    revision: row.revision,
    hours: row.granted === null ? row.hours : null,
    amountWon: row.amount_won,
    granted: row.granted,
    startsAt: row.starts_at,
    readyAt: row.ready_at,
    endsAt: row.ends_at,
    endedAt: row.ended_at,
    buildId: row.build_id,
    preparingSince: row.preparing_since,
    prepareFailed: row.prepare_failed === 1,
    repairing: row.repairing === 1,
    repairs: row.repairs,
    awaySince: row.away_since,
    endRequestedAt: row.end_requested_at,
    createdAt: row.created_at,
  };
}

function toMac(row: MacRow): Mac {
  const { state } = row;
  if (state === 'ended') throw new Error(`rental ${row.rental_id} has ended but has no end`);
  return {
    ...toRental(row),
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
    priceWon: row.price_won,
    maxDays: row.max_days,
  };
}

function openJobOf(row: MacRow): OpenJob | null {
  if (row.job_id === null) return null;
  return {
    jobId: row.job_id,
    kind: row.job_kind,
    status: row.job_status,
    target: readTarget(row.job_target),
    revision: row.job_revision,
    progress: readProgress(row.job_progress),
  };
}

// A handful of different lists, read with every Mac.
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

const MACS = `SELECT r.*, s.host_id, h.status AS host_status, h.draining AS host_draining,
    h.disk_low AS host_disk_low, h.xcodes AS host_xcodes,
    h.connected AS host_connected, CASE WHEN h.connected = 1 THEN NULL ELSE h.last_seen_at END AS host_last_seen_at,
    h.revoked_at AS host_removed_at, t.xcode_versions, t.runtimes AS tier_runtimes, t.tools AS tier_tools, t.image,
    t.price_won, t.max_days, j.job_id, j.kind AS job_kind, j.status AS job_status, j.target AS job_target,
    j.revision AS job_revision, j.progress AS job_progress
  FROM rentals r
  JOIN slots s ON s.slot_id = r.slot_id
  JOIN hosts h ON h.host_id = s.host_id
  JOIN tiers t ON t.tier = r.tier
  LEFT JOIN jobs j ON j.rental_id = r.rental_id AND j.status IN ('queued', 'running')`;

/** The account's rentals that have not ended, oldest first. */
export async function readMacs(q: Queries, accountId: number): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE r.account_id = :accountId AND r.ended_at IS NULL ORDER BY r.created_at, r.rental_id`,
    { accountId },
  );
  return rows.map(toMac);
}

/** Macs that removed hosts had. */
export async function readStrandedMacs(q: Queries): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE h.status = 'removed' AND r.ended_at IS NULL AND r.state NOT IN ('reserved', 'preparing')`,
  );
  return rows.map(toMac);
}

/** Rentals on the slots of one host that have not ended. */
export async function readMacsOfHost(q: Queries, hostId: string): Promise<Mac[]> {
  const rows = await q.all<MacRow>(
    `${MACS} WHERE r.slot_id IN (SELECT slot_id FROM slots WHERE host_id = :hostId) AND r.ended_at IS NULL
     ORDER BY s.position`,
    { hostId },
  );
  return rows.map(toMac);
}

/** Null too when it is another account's. Ended ones are found. */
export async function findRental(q: Queries, accountId: number, rentalId: string): Promise<Rental | null> {
  const row = await q.get<RentalRow>(
    'SELECT * FROM rentals WHERE rental_id = :rentalId AND account_id = :accountId',
    { rentalId, accountId },
  );
  return row ? toRental(row) : null;
}

/**
 * Rentals that are to end now, or whose time is over, and when the next one ends. A Mac of which an extension awaits payment is kept
 * until that is settled, so that nobody pays for a Mac that has just gone; one that the platform keeps away loses no time.
 */
export async function readDueRentals(
  q: Queries,
  now: number,
): Promise<{ due: Rental[]; nextAt: number | null }> {
  const due = await q.all<RentalRow>(
    `SELECT * FROM rentals r WHERE ended_at IS NULL AND (end_requested_at IS NOT NULL
       OR ends_at <= :now AND (away_since IS NULL AND ready_at IS NOT NULL OR granted IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.rental_id = r.rental_id)) ORDER BY ends_at`,
    { now },
  );
  const next = await q.get<{ ends_at: number | null }>(
    `SELECT MIN(ends_at) AS ends_at FROM rentals
     WHERE ended_at IS NULL AND (ready_at IS NOT NULL OR granted IS NOT NULL) AND ends_at > :now`,
    { now },
  );
  return { due: due.map(toRental), nextAt: next?.ends_at ?? null };
}

export interface NewRentalRow {
  readonly rentalId: string;
  readonly accountId: number;
  readonly orderNo: string | null;
  readonly slotId: string;
  readonly tier: string;
  readonly xcode: string | null;
  readonly state: Extract<RentalState, 'reserved' | 'preparing'>;
  readonly granted?: NonNullable<Rental['granted']>;
  /** What was paid for it. */
  readonly amountWon?: number;
  /** Null: it has no bought time. */
  readonly hours: number | null;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly now: number;
}

/** False when the slot is somebody's in that time, or has a Mac already in which the new one would have to be. */
export async function insertRental(tx: Transaction, rental: NewRentalRow): Promise<boolean> {
  const { changes } = await tx.run(
    `INSERT INTO rentals (rental_id, account_id, order_no, slot_id, tier, xcode, runtimes, tools, state, generation,
       hours, starts_at, ends_at, preparing_since, granted, amount_won, created_at)
     SELECT :rentalId, :accountId, :orderNo, :slotId, :tier, :xcode, '[]', '[]', :state, 1, :hours, :startsAt,
       :endsAt, CASE WHEN :state = 'preparing' THEN :now END, :granted, :amountWon, :now
     WHERE NOT EXISTS (SELECT 1 FROM rentals WHERE slot_id = :slotId AND ended_at IS NULL
         AND (starts_at < :endsAt AND ends_at > :startsAt OR state <> 'reserved' AND :state <> 'reserved'))
       AND NOT EXISTS (SELECT 1 FROM holds WHERE slot_id = :slotId
         AND starts_at < :endsAt AND ends_at > :startsAt)`,
    { granted: null, amountWon: 0, ...rental, hours: rental.hours ?? 0 },
  );
  if (changes === 1) await touchSlot(tx, rental.slotId);
  return changes === 1;
}

const CHANGE_COLUMNS = {
  buildId: 'build_id',
  readyAt: 'ready_at',
  startsAt: 'starts_at',
  endsAt: 'ends_at',
  endedAt: 'ended_at',
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
export type RentalChanges = Partial<Pick<Rental, keyof typeof CHANGE_COLUMNS>>;

/**
 * Takes a rental from the state in which it was seen to where `event` leads; false when the table has no such way
 * or it is not as it was seen any more.
 */
export async function changeRental(
  tx: Transaction,
  seen: Pick<Rental, 'rentalId' | 'state' | 'buildId'>,
  event: RentalEvent,
  changes: RentalChanges,
): Promise<boolean> {
  const to = rentalTransitions[seen.state][event];
  if (to === null) return false;
  const params: Record<string, SqlValue> = {
    rentalId: seen.rentalId,
    from: seen.state,
    to,
    seenBuild: seen.buildId ?? '',
  };
  let set = '';
  for (const name of Object.keys(changes) as (keyof RentalChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    const value = changes[name] ?? null;
    if (typeof value === 'boolean') params[name] = Number(value);
    else params[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  }
  const { changes: changed } = await tx.run(
    `UPDATE rentals SET state = :to${set}
     WHERE rental_id = :rentalId AND state = :from AND COALESCE(build_id, '') = :seenBuild`,
    params,
  );
  const timed = changes.startsAt ?? changes.endsAt ?? changes.endedAt;
  if (changed === 1 && (timed !== undefined || seen.state === 'reserved'))
    await touchRental(tx, seen.rentalId);
  return changed === 1;
}

/** Every Xcode version that some tier offers. */
export async function readXcodeCatalog(q: Queries): Promise<Set<string>> {
  const rows = await q.all<{ xcode_versions: string }>('SELECT xcode_versions FROM tiers');
  return new Set(rows.flatMap((row) => readStrings(row.xcode_versions)));
}

/** Null when there is no such slot. */
export async function hostOfSlot(q: Queries, slotId: string): Promise<string | null> {
  const row = await q.get<{ host_id: string }>('SELECT host_id FROM slots WHERE slot_id = :slotId', {
    slotId,
  });
  return row?.host_id ?? null;
}
