// What hosts report about themselves, and since when they are connected or disconnected.
import type { HostHealth, Inventory } from '../../../shared/protocol/index.js';
import { inCondition } from '../../platform/store/fence.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries } from '../../platform/store/sql.js';
import { isDiskLow, xcodesOfMacs } from '../domain/host.js';
import { NEXT_REVISION } from './calendar-revision.js';
import { endAllLinks, endLink, linkBegan } from './host-links.js';
import { hosts } from './hosts.js';

function xcodesColumn(inventory: Inventory): string | null {
  const xcodes = xcodesOfMacs(inventory);
  return xcodes && JSON.stringify(xcodes);
}

/** Null leaves the column as it is: the host has not run its checks again. */
const healthColumn = (health: HostHealth | undefined): string | null =>
  health === undefined ? null : JSON.stringify(health);

const blockedColumn = ({ blocked }: Inventory): string | null => (blocked ? JSON.stringify(blocked) : null);

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
    health?: HostHealth | undefined;
    clockSkewMs?: number | undefined;
    agentVersion: string;
    protocol: number;
    processId: string;
  },
): Promise<number | null> {
  const { inventory, draining, health, clockSkewMs, ...rest } = connection;
  const row = await q.get<{ connected_at: number }>(
    `UPDATE hosts SET connected = 1, last_seen_at = :now, inventory = :inventory, draining = :draining,
       disk_low = :diskLow, xcodes = :xcodes, blocked = :blocked, health = COALESCE(:health, health),
       clock_skew_ms = :clockSkewMs, connections = connections + 1, connected_at = CASE WHEN connected_at >= :now THEN connected_at + 1 ELSE :now END,
       driver = :driver, agent_version = :agentVersion, protocol = :protocol, process_id = :processId,
       calendar_revision = ${NEXT_REVISION}
     WHERE host_id = :hostId AND status <> 'removed' RETURNING connected_at`,
    {
      ...rest,
      clockSkewMs: clockSkewMs ?? null,
      inventory: JSON.stringify(inventory),
      draining: draining ? 1 : 0,
      diskLow: isDiskLow(inventory) ? 1 : 0,
      xcodes: xcodesColumn(inventory),
      blocked: blockedColumn(inventory),
      health: healthColumn(health),
      driver: inventory.driver,
    },
  );
  if (row === undefined) return null;
  const { hostId, agentVersion } = connection;
  await linkBegan(q, { hostId, connectedAt: row.connected_at, agentVersion });
  return row.connected_at;
}

export async function recordInventory(
  q: Queries,
  hostId: string,
  {
    inventory,
    draining,
    health,
    clockSkewMs,
  }: {
    inventory: Inventory;
    draining: boolean;
    health?: HostHealth | undefined;
    clockSkewMs?: number | undefined;
  },
): Promise<void> {
  await q.run(
    `UPDATE hosts SET inventory = :inventory, driver = :driver, draining = :draining, disk_low = :diskLow,
       xcodes = :xcodes, blocked = :blocked, health = COALESCE(:health, health),
       clock_skew_ms = COALESCE(:clockSkewMs, clock_skew_ms), calendar_revision = CASE
         WHEN draining = :draining AND COALESCE(blocked, '') = COALESCE(:blocked, '')
           AND COALESCE(xcodes, '') = COALESCE(:xcodes, '') THEN calendar_revision
         ELSE ${NEXT_REVISION} END
     WHERE host_id = :hostId`,
    {
      hostId,
      clockSkewMs: clockSkewMs ?? null,
      inventory: JSON.stringify(inventory),
      driver: inventory.driver,
      draining: draining ? 1 : 0,
      diskLow: isDiskLow(inventory) ? 1 : 0,
      xcodes: xcodesColumn(inventory),
      blocked: blockedColumn(inventory),
      health: healthColumn(health),
    },
  );
}

const links = hosts.pick('status', 'connected', 'connectedAt');

/** Returns what is known of the host's connection; null: there is no such host. Cheaper than the whole host, for every beat. */
export const findLink = (q: Queries, hostId: string) => links.get(q, 'WHERE host_id = :hostId', { hostId });

/** What is written for a connection must be written while it is the host's last one, whatever process has it. */
export const heldBy = (hostId: string, connectedAt: number): string =>
  `SELECT 1 FROM hosts WHERE host_id = ${inCondition(hostId)} AND connected_at = ${inCondition(connectedAt)}`;

/** Renews the connection that started at `connectedAt`; returns false when the host has a newer one. */
export async function renewConnection(q: Queries, hostId: string, connectedAt: number, now: number): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE hosts SET connected = 1, last_seen_at = :now,
       calendar_revision = CASE WHEN connected = 1 THEN calendar_revision ELSE ${NEXT_REVISION} END
     WHERE host_id = :hostId AND connected_at = :connectedAt AND status <> 'removed'`,
    { hostId, connectedAt, now },
  );
  return changes === 1;
}

/** Records the end of the connection that started at `connectedAt`. Has no effect when there is a newer one. */
export async function recordDisconnection(q: Queries, hostId: string, connectedAt: number, now: number): Promise<void> {
  const { changes } = await q.run(
    `UPDATE hosts SET connected = 0, last_seen_at = :now, calendar_revision = ${NEXT_REVISION}
     WHERE host_id = :hostId AND connected_at = :connectedAt AND connected = 1`,
    { hostId, connectedAt, now },
  );
  if (changes > 0) await endLink(q, hostId, now);
}

/** Records all hosts as disconnected, since connections end with their process. */
export async function recordAllDisconnected(q: Queries, now: number): Promise<void> {
  await q.run(
    `UPDATE hosts SET connected = 0, last_seen_at = :now, calendar_revision = ${NEXT_REVISION} WHERE connected = 1`,
    { now },
  );
  await endAllLinks(q, now);
}

/** Records hosts as disconnected whose process is none of those that are there. */
export async function recordLeftBehind(q: Queries, now: number): Promise<string[]> {
  const left = await q.all<{ host_id: string }>(
    `UPDATE hosts SET connected = 0, last_seen_at = :now, calendar_revision = ${NEXT_REVISION}
     WHERE connected = 1 AND COALESCE(process_id, '') NOT IN (SELECT process_id FROM processes) RETURNING host_id`,
    { now },
  );
  for (const { host_id: hostId } of left) await endLink(q, hostId, now);
  return left.map(({ host_id: hostId }) => hostId);
}

/** The hosts that are connected to a process. */
export async function hostsOfProcess(q: Queries, processId: string): Promise<ReadonlySet<string>> {
  const rows = await q.all<{ host_id: string }>(
    'SELECT host_id FROM hosts WHERE connected = 1 AND process_id = :processId',
    { processId },
  );
  return new Set(rows.map(({ host_id: hostId }) => hostId));
}

const RUNS_BUILDS = `EXISTS (SELECT 1 FROM builds b WHERE b.status = 'running' AND b.host_id = h.host_id)`;

// Macs that are shown to customers as ready.
const HAS_MACS = `EXISTS (SELECT 1 FROM slots s JOIN macs m ON m.slot_id = s.slot_id WHERE s.host_id = h.host_id
  AND m.state <> 'ended' AND m.build_id IS NULL AND m.state IN ('ready', 'resetting', 'updating'))`;

/**
 * Returns removed hosts with running builds, and hosts with running builds or Macs that have been disconnected since
 * `awaySince` or earlier.
 */
export async function lostHosts(q: Queries, awaySince: number): Promise<{ removed: string[]; away: string[] }> {
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
export const oldestAbsence = (q: Queries): Promise<number | null> =>
  readNumber(
    q,
    `SELECT MIN(COALESCE(h.last_seen_at, h.created_at)) AS since FROM hosts h
     WHERE h.connected = 0 AND h.status <> 'removed' AND (${RUNS_BUILDS} OR ${HAS_MACS})`,
  );
