// A host: a machine that an operator enrolled, with slots for Macs.

import { isVirtual } from '../../../shared/drivers.js';
import type { HostAddress, HostBlock, HostHealth, HostUpgrade, Inventory } from '../../../shared/protocol/index.js';
import { bool, int, json, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Labels } from './host-labels.js';

export type HostStatus = 'pending' | 'active' | 'draining' | 'cordoned' | 'removed';

/** Actions of an operator on a host. */
export type HostEvent = 'approve' | 'drain' | 'undrain' | 'cordon' | 'remove';

/** The last time that somebody else seemed to use the credential of a host. */
export interface CredentialConflict {
  /** Two agents were connected at a time, or another machine than before has connected. Missing: two_agents. */
  readonly how?: 'two_agents' | 'other_machine';
  /** Ms since the epoch. */
  readonly at: number;
  /** Of the older and the newer connection. */
  readonly addresses: readonly string[];
}

export const hostFields = {
  hostId: text(),
  name: text(),
  /** Null until an operator has set the tier of the machine. */
  tier: text().orNull,
  status: text<HostStatus>(),
  /** Why an operator has taken the host out of service; null if no reason was given, or after an undrain. */
  reason: text().orNull.initially(null),
  /** The operator who last changed the status, and when (ms); null while nobody has. */
  statusBy: text().orNull.initially(null),
  statusAt: int().orNull.initially(null),
  /** Given by operators, to select hosts by. See host-labels.ts. */
  labels: json<Labels>().initially({}),
  /** The host's configuration disables new builds. */
  draining: bool().initially(false),
  /** Less disk space is free than the host's configuration requires. */
  diskLow: bool().initially(false),
  /** Why the host cannot create Macs now; null if it can. */
  blocked: json<HostBlock>().orNull.initially(null),
  /** What its doctor found; null until the host has reported it. */
  health: json<HostHealth>().orNull.initially(null),
  /** Whether the host may serve several accounts at a time. */
  shared: bool().initially(false),
  driver: text<Inventory['driver']>().orNull.initially(null),
  agentVersion: text().orNull.initially(null),
  protocol: int().orNull.initially(null),
  inventory: json<Inventory>().orNull.initially(null),
  /** The address that the host uses, and how its move goes; null: its agent does not report it. */
  linkAddress: json<HostAddress>().orNull.initially(null),
  /** The root address that the host should move to; null once it uses it. */
  moveTo: text().orNull.initially(null),
  /** Whether the agent can be upgraded, and how far its upgrade has come; null: its agent does not report it. */
  upgrade: json<HostUpgrade>().orNull.initially(null),
  connected: bool().initially(false),
  /** Start of the current or last connection in ms; also identifies that connection. */
  connectedAt: int().orNull.initially(null),
  lastSeenAt: int().orNull.initially(null),
  /** How often the host has connected. */
  connections: int().initially(0),
  /** By how much the host's clock is ahead of the service's, ms; null: its agent does not report it. */
  clockSkewMs: int().orNull.initially(null),
  /** The token that enrolled it; null: an operator approved its code. */
  enrolmentId: text().orNull.initially(null),
  /** How many slots it was enrolled with, for when it gets a tier. */
  enrolledSlots: int().initially(0),
  /** Null: there was none, or an operator has dealt with it. */
  credentialConflict: json<CredentialConflict>().orNull.initially(null),
  /** Which machine connected last, by its own account; null: its agent did not say. */
  machine: text().orNull.initially(null),
  /** The address that it connected from last; null: it has never connected. */
  connectedFrom: text().orNull.initially(null),
  createdAt: int(),
};
export type Host = RecordOf<typeof hostFields>;

/** The next status for each status and event; null: the event is rejected. */
export const hostTransitions: Readonly<Record<HostStatus, Readonly<Record<HostEvent, HostStatus | null>>>> = {
  pending: { approve: 'active', drain: null, undrain: null, cordon: null, remove: 'removed' },
  active: { approve: 'active', drain: 'draining', undrain: 'active', cordon: 'cordoned', remove: 'removed' },
  draining: { approve: null, drain: 'draining', undrain: 'active', cordon: 'cordoned', remove: 'removed' },
  cordoned: { approve: null, drain: 'draining', undrain: 'active', cordon: 'cordoned', remove: 'removed' },
  removed: { approve: null, drain: null, undrain: null, cordon: null, remove: 'removed' },
};

/** Returns whether a new build may be sent to a Mac of this host. A cordoned host still serves its Macs. */
export function takesBuilds(host: Pick<Host, 'status' | 'draining' | 'connected' | 'diskLow'>): boolean {
  const inService = host.status === 'active' || host.status === 'cordoned';
  return inService && host.connected && !host.draining && !host.diskLow;
}

/** Unused work folders have already been removed at that point. */
export function isDiskLow(inventory: Pick<Inventory, 'disk_free_bytes' | 'disk_reserve_bytes'>): boolean {
  return inventory.disk_free_bytes < (inventory.disk_reserve_bytes ?? 0);
}

/**
 * Returns the Xcodes that Macs on this host can use: with the local driver those of the host. Null with virtual machines,
 * which contain their own Xcodes.
 */
export function xcodesOfMacs({ driver, xcodes }: Pick<Inventory, 'driver' | 'xcodes'>): string[] | null {
  return isVirtual(driver) ? null : [...new Set(xcodes.map(({ version }) => version))];
}

/** Returns the Xcodes of the tier that are on the host; all of the tier while the host's Xcodes are unknown. */
export function selectableXcodes(ofTier: readonly string[], ofHost: readonly string[] | null): readonly string[] {
  return ofHost === null ? ofTier : ofTier.filter((version) => ofHost.includes(version));
}

/** macOS runs no more virtual machines at a time; a Mac that cannot be made must not be sold. */
export const MOST_VIRTUAL_MACS = 2;

/** Returns how many slots a host with this driver can have; `asked` if the driver is unknown. */
export function usableSlots(asked: number, driver: Host['driver']): number {
  return driver !== null && isVirtual(driver) ? Math.min(asked, MOST_VIRTUAL_MACS) : asked;
}

/** Returns whether a new Mac may be created on this host. */
export function takesRentals(host: Pick<Host, 'status' | 'draining'>): boolean {
  return host.status === 'active' && !host.draining;
}
