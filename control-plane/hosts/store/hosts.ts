// Hosts, their enrolments and their slots.
import type { Inventory } from '../../../shared/protocol/index.js';
import { int, strings, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Host, type HostStatus, hostFields, isDiskLow, xcodesOfMacs } from '../domain/host.js';
import { NEXT_REVISION, touchHost } from './calendar-revision.js';

export const hosts = table('hosts', hostFields, {
  credentialHash: text(),
  /** Xcode versions of the inventory; null until the host reports, and null if each of its Macs has its own. */
  xcodes: strings().orNull.initially(null),
  revokedAt: int().orNull.initially(null),
  /** See calendar-revision.ts. */
  calendarRevision: int(),
});

export function findHost(q: Queries, hostId: string): Promise<Host | null> {
  return hosts.get(q, 'WHERE host_id = :hostId', { hostId });
}

/** Removed hosts have no credential. */
export function findHostByCredential(q: Queries, credentialHash: string): Promise<Host | null> {
  return hosts.get(q, `WHERE credential_hash = :credentialHash AND status <> 'removed'`, { credentialHash });
}

export function listHosts(q: Queries): Promise<Host[]> {
  return hosts.all(q, 'ORDER BY created_at, host_id');
}

const insertNew = hosts.inserter<'calendarRevision'>({ computed: { calendarRevision: NEXT_REVISION } });

export async function insertHost(
  q: Queries,
  {
    now,
    ...host
  }: Pick<Host, 'hostId' | 'name' | 'tier' | 'status'> & { credentialHash: string; now: number },
): Promise<void> {
  await insertNew(q, { ...host, createdAt: now });
}

/** Changes a host's status; returns false when its status was not `from`. */
export async function changeHostStatus(
  q: Queries,
  change: { hostId: string; from: HostStatus; to: HostStatus; now: number },
): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE hosts SET status = :to, calendar_revision = ${NEXT_REVISION}, revoked_at = CASE WHEN :to = 'removed' THEN :now ELSE revoked_at END
     WHERE host_id = :hostId AND status = :from`,
    change,
  );
  return changes === 1;
}

export async function setHostTier(tx: Transaction, hostId: string, tier: string): Promise<void> {
  await touchHost(tx, hostId);
  await hosts.update(tx, { hostId }, { tier });
  await slots.update(tx, { hostId }, { tier });
}

function xcodesColumn(inventory: Inventory): string | null {
  const xcodes = xcodesOfMacs(inventory);
  return xcodes && JSON.stringify(xcodes);
}

/**
 * Records that a host has connected. Returns the start of this connection, which identifies it: it is later than
 * the start of every earlier connection. Returns null when the host has been removed.
 */
export async function recordConnection(
  q: Queries,
  connection: {
    hostId: string;
    now: number;
    inventory: Inventory;
    draining: boolean;
    agentVersion: string;
    protocol: number;
  },
): Promise<number | null> {
  const { inventory, draining, ...rest } = connection;
  const row = await q.get<{ connected_at: number }>(
    `UPDATE hosts SET connected = 1, last_seen_at = :now, inventory = :inventory, draining = :draining,
       disk_low = :diskLow, xcodes = :xcodes, connected_at = CASE WHEN connected_at >= :now THEN connected_at + 1 ELSE :now END,
       driver = :driver, agent_version = :agentVersion, protocol = :protocol,
       calendar_revision = ${NEXT_REVISION}
     WHERE host_id = :hostId AND status <> 'removed' RETURNING connected_at`,
    {
      ...rest,
      inventory: JSON.stringify(inventory),
      draining: draining ? 1 : 0,
      diskLow: isDiskLow(inventory) ? 1 : 0,
      xcodes: xcodesColumn(inventory),
      driver: inventory.driver,
    },
  );
  return row?.connected_at ?? null;
}

export async function recordInventory(
  q: Queries,
  hostId: string,
  inventory: Inventory,
  draining: boolean,
): Promise<void> {
  await q.run(
    `UPDATE hosts SET inventory = :inventory, driver = :driver, draining = :draining, disk_low = :diskLow,
       xcodes = :xcodes, calendar_revision = CASE WHEN draining = :draining THEN calendar_revision ELSE ${NEXT_REVISION} END
     WHERE host_id = :hostId`,
    {
      hostId,
      inventory: JSON.stringify(inventory),
      driver: inventory.driver,
      draining: draining ? 1 : 0,
      diskLow: isDiskLow(inventory) ? 1 : 0,
      xcodes: xcodesColumn(inventory),
    },
  );
}

/** Renews the connection that started at `connectedAt`; returns false when the host has a newer one. */
export async function renewConnection(
  q: Queries,
  hostId: string,
  connectedAt: number,
  now: number,
): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE hosts SET connected = 1, last_seen_at = :now,
       calendar_revision = CASE WHEN connected = 1 THEN calendar_revision ELSE ${NEXT_REVISION} END
     WHERE host_id = :hostId AND connected_at = :connectedAt AND status <> 'removed'`,
    { hostId, connectedAt, now },
  );
  return changes === 1;
}

/** Records the end of the connection that started at `connectedAt`. Has no effect when there is a newer one. */
export async function recordDisconnection(
  q: Queries,
  hostId: string,
  connectedAt: number,
  now: number,
): Promise<void> {
  await q.run(
    `UPDATE hosts SET connected = 0, last_seen_at = :now, calendar_revision = ${NEXT_REVISION}
     WHERE host_id = :hostId AND connected_at = :connectedAt AND connected = 1`,
    { hostId, connectedAt, now },
  );
}

/** Records all hosts as disconnected, since connections end with their process. */
export async function recordAllDisconnected(q: Queries, now: number): Promise<void> {
  await q.run(
    `UPDATE hosts SET connected = 0, last_seen_at = :now, calendar_revision = ${NEXT_REVISION} WHERE connected = 1`,
    { now },
  );
}

const RUNS_BUILDS = `EXISTS (SELECT 1 FROM builds b WHERE b.status = 'running' AND b.host_id = h.host_id)`;

// Macs that are shown to customers as ready.
const HAS_MACS = `EXISTS (SELECT 1 FROM slots s JOIN macs m ON m.slot_id = s.slot_id WHERE s.host_id = h.host_id
  AND m.state <> 'ended' AND m.build_id IS NULL AND m.state IN ('ready', 'resetting', 'updating'))`;

/**
 * Returns removed hosts with running builds, and hosts with running builds or Macs that have been disconnected since
 * `awaySince` or earlier.
 */
export async function lostHosts(
  q: Queries,
  awaySince: number,
): Promise<{ removed: string[]; away: string[] }> {
  const rows = await q.all<{ host_id: string; removed: number }>(
    `SELECT h.host_id, CASE WHEN h.status = 'removed' THEN 1 ELSE 0 END AS removed FROM hosts h
     WHERE (h.status = 'removed' AND ${RUNS_BUILDS})
       OR (h.status <> 'removed' AND h.connected = 0 AND COALESCE(h.last_seen_at, h.created_at) <= :awaySince
         AND (${RUNS_BUILDS} OR ${HAS_MACS}))`,
    { awaySince },
  );
  const ids = (removed: number) => rows.filter((row) => row.removed === removed).map((row) => row.host_id);
  return { removed: ids(1), away: ids(0) };
}

/** Returns the earliest disconnection of a host with running builds or Macs. */
export async function oldestAbsence(q: Queries): Promise<number | null> {
  const row = await q.get<{ since: number | null }>(
    `SELECT MIN(COALESCE(h.last_seen_at, h.created_at)) AS since FROM hosts h
     WHERE h.connected = 0 AND h.status <> 'removed' AND (${RUNS_BUILDS} OR ${HAS_MACS})`,
  );
  return row?.since ?? null;
}

export const enrolments = table('host_enrolments', {
  tokenHash: text(),
  name: text().orNull,
  tier: text().orNull,
  slots: int(),
  expiresAt: int(),
  /** The host that used it. */
  hostId: text().orNull.initially(null),
  createdAt: int(),
});

const wanted = enrolments.pick('name', 'tier', 'slots');
export type Enrolment = Selected<typeof wanted>;

export async function insertEnrolment(
  q: Queries,
  { now, ...enrolment }: Enrolment & { tokenHash: string; expiresAt: number; now: number },
): Promise<void> {
  await enrolments.insert(q, { ...enrolment, createdAt: now });
}

/** Returns an enrollment that can be used now, or null. */
export function findEnrolment(q: Queries, tokenHash: string, now: number): Promise<Enrolment | null> {
  return wanted.get(q, 'WHERE token_hash = :tokenHash AND host_id IS NULL AND expires_at > :now', {
    ...{ tokenHash, now },
  });
}

/** Marks an enrolment as used by `hostId`; returns false when it is already used or expired. */
export async function useEnrolment(
  q: Queries,
  tokenHash: string,
  hostId: string,
  now: number,
): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE host_enrolments SET host_id = :hostId
     WHERE token_hash = :tokenHash AND host_id IS NULL AND expires_at > :now`,
    { tokenHash, hostId, now },
  );
  return changes === 1;
}

/** Returns the number of slots of a host's enrolment. */
export async function enrolledSlots(q: Queries, hostId: string): Promise<number> {
  return (await wanted.get(q, 'WHERE host_id = :hostId', { hostId }))?.slots ?? 0;
}

/** Those that no host uses, or a host that has been approved since. */
export const purgeEnrolments = purgeOf('host_enrolments', {
  key: 'token_hash',
  expired: `expires_at <= :before AND NOT EXISTS (
    SELECT 1 FROM hosts h WHERE h.host_id = host_enrolments.host_id AND h.status = 'pending')`,
  by: 'expires_at',
});

export const slots = table(
  'slots',
  {
    slotId: text(),
    hostId: text(),
    tier: text(),
    /** Starts at 1. */
    position: int(),
  },
  { createdAt: int(), retiredAt: int().orNull.initially(null) },
);
export type Slot = Selected<typeof slots>;

export function listSlots(q: Queries, hostId: string): Promise<Slot[]> {
  return slots.all(q, 'WHERE host_id = :hostId AND retired_at IS NULL ORDER BY position', { hostId });
}

const put = slots.inserter({
  onConflict: `ON CONFLICT (host_id, position) DO UPDATE SET ${slots.excluded('retiredAt', 'tier')}`,
});

export async function insertSlot(tx: Transaction, { now, ...slot }: Slot & { now: number }): Promise<void> {
  await touchHost(tx, slot.hostId);
  await put(tx, { ...slot, createdAt: now });
}

// SQL: whether a slot is rented, reserved or ordered.
const TAKEN = `(EXISTS (SELECT 1 FROM macs m WHERE m.slot_id = s.slot_id AND m.state <> 'ended')
  OR EXISTS (SELECT 1 FROM holds o WHERE o.slot_id = s.slot_id))`;

/** Returns the slots of the host that are rented, reserved or ordered. */
export async function countTakenSlots(q: Queries, hostId: string): Promise<number> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM slots s WHERE s.host_id = :hostId AND ${TAKEN}`,
    { hostId },
  );
  return row?.n ?? 0;
}

/** Removes every slot after the first `count`; returns false when one of them is rented or reserved. */
export async function retireSlots(
  tx: Transaction,
  hostId: string,
  count: number,
  now: number,
): Promise<boolean> {
  const behind = 's.host_id = :hostId AND s.position > :count AND s.retired_at IS NULL';
  const taken = await tx.get(`SELECT 1 FROM slots s WHERE ${behind} AND ${TAKEN}`, { hostId, count });
  if (taken) return false;
  await tx.run(
    `UPDATE slots SET retired_at = :now WHERE host_id = :hostId AND position > :count AND retired_at IS NULL`,
    { hostId, count, now },
  );
  await touchHost(tx, hostId);
  return true;
}

export async function setHostShared(tx: Transaction, hostId: string, shared: boolean): Promise<void> {
  await hosts.update(tx, { hostId }, { shared });
  await touchHost(tx, hostId);
}

/** Returns null when the slot does not exist. */
export async function hostOfSlot(q: Queries, slotId: string): Promise<string | null> {
  const row = await q.get<{ host_id: string }>('SELECT host_id FROM slots WHERE slot_id = :slotId', {
    slotId,
  });
  return row?.host_id ?? null;
}
