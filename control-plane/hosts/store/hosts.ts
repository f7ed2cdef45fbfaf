// Hosts: changes by operators.

import type { HostAddress } from '../../../shared/protocol/index.js';
import { int, strings, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Host, type HostStatus, hostFields } from '../domain/host.js';
import type { Labels } from '../domain/host-labels.js';
import { NEXT_REVISION, touchHost } from './calendar-revision.js';
import { slots } from './slots.js';

export const hosts = table('hosts', hostFields, {
  credentialHash: text(),
  /** Xcode versions of the inventory; null until the host reports, and null if each of its Macs has its own. */
  xcodes: strings().orNull.initially(null),
  revokedAt: int().orNull.initially(null),
  /** See calendar-revision.ts. */
  calendarRevision: int(),
  /** The process of the control plane that has its connection, or had the last one. */
  processId: text().orNull.initially(null),
});

/** Returns the host, even if removed, or null. */
export function findHost(q: Queries, hostId: string): Promise<Host | null> {
  return hosts.get(q, 'WHERE host_id = :hostId', { hostId });
}

/** Removed hosts have no credential. */
export function findHostByCredential(q: Queries, credentialHash: string): Promise<Host | null> {
  return hosts.get(q, `WHERE credential_hash = :credentialHash AND status <> 'removed'`, { credentialHash });
}

/** Returns null when there is no such host, or it has been removed. */
export async function credentialHashOf(q: Queries, hostId: string): Promise<string | null> {
  const row = await q.get<{ hash: string }>(
    `SELECT credential_hash AS hash FROM hosts WHERE host_id = :hostId AND status <> 'removed'`,
    { hostId },
  );
  return row?.hash ?? null;
}

/** Removed hosts count too: their credentials are never valid again. */
export async function isCredentialTaken(q: Queries, credentialHash: string): Promise<boolean> {
  const row = await q.get('SELECT 1 FROM hosts WHERE credential_hash = :credentialHash', { credentialHash });
  return row !== undefined;
}

/** Returns all hosts, including removed ones. */
export function listHosts(q: Queries): Promise<Host[]> {
  return hosts.all(q, 'ORDER BY created_at, host_id');
}

const insertNew = hosts.inserter<'calendarRevision'>({ computed: { calendarRevision: NEXT_REVISION } });

export async function insertHost(
  q: Queries,
  {
    now,
    ...host
  }: Pick<Host, 'hostId' | 'name' | 'tier' | 'status'> &
    Partial<Pick<Host, 'labels' | 'enrolmentId' | 'enrolledSlots'>> & { credentialHash: string; now: number },
): Promise<void> {
  await insertNew(q, { ...host, createdAt: now });
}

/** Changes a host's status; returns false when its status was not `from`. */
export async function changeHostStatus(
  q: Queries,
  change: {
    hostId: string;
    from: HostStatus;
    to: HostStatus;
    reason: string | null;
    by: string | null;
    now: number;
  },
): Promise<boolean> {
  const { changes } = await q.run(
    `UPDATE hosts SET status = :to, reason = :reason, status_by = :by, status_at = :now,
       calendar_revision = ${NEXT_REVISION}, revoked_at = CASE WHEN :to = 'removed' THEN :now ELSE revoked_at END
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

export async function setHostReason(
  tx: Transaction,
  hostId: string,
  { reason, by, now }: { reason: string; by: string | null; now: number },
): Promise<void> {
  await hosts.update(tx, { hostId }, { reason, statusBy: by, statusAt: now });
}

export async function setHostLabels(tx: Transaction, hostId: string, labels: Labels): Promise<void> {
  await hosts.update(tx, { hostId }, { labels });
}

/** Null: an operator has dealt with it. */
export async function setCredentialConflict(
  tx: Transaction,
  hostId: string,
  credentialConflict: Host['credentialConflict'],
): Promise<void> {
  await hosts.update(tx, { hostId }, { credentialConflict });
}

/** Which machine has connected, and from which address. */
export async function setMachine(
  tx: Transaction,
  hostId: string,
  { machine, connectedFrom }: Pick<Host, 'machine' | 'connectedFrom'>,
): Promise<void> {
  await hosts.update(tx, { hostId }, { machine, connectedFrom });
}

export async function setHostShared(tx: Transaction, hostId: string, shared: boolean): Promise<void> {
  await hosts.update(tx, { hostId }, { shared });
  await touchHost(tx, hostId);
}

/** @param siteUrl null: the host should stay where it is */
export async function setMoveTo(tx: Transaction, hostId: string, siteUrl: string | null): Promise<void> {
  await hosts.update(tx, { hostId }, { moveTo: siteUrl });
}

const moves = hosts.pick('moveTo');

/** Returns the address that the host should move to; null: it should stay where it is. */
export async function wantedAddressOf(q: Queries, hostId: string): Promise<string | null> {
  return (await moves.get(q, 'WHERE host_id = :hostId', { hostId }))?.moveTo ?? null;
}

/** Records what a host reports; null: it does not report it. A host that uses the wanted address has moved. */
export async function recordAddress(q: Queries, hostId: string, address: HostAddress | null): Promise<void> {
  await q.run(
    `UPDATE hosts SET link_address = :address, move_to = CASE WHEN move_to = :siteUrl THEN NULL ELSE move_to END
     WHERE host_id = :hostId`,
    { hostId, address: address && JSON.stringify(address), siteUrl: address?.site_url ?? null },
  );
}
