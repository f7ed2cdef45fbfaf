// Settings of a host: tier, number of slots, labels, and whether several accounts may share it.

import type { Clock } from '../../../shared/clock.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type Host, MOST_VIRTUAL_MACS, usableSlots } from '../domain/host.js';
import { changedLabels } from '../domain/host-labels.js';
import { refusedChange } from '../domain/host-refusal.js';
import * as rows from '../store/hosts.js';
import * as slotRows from '../store/slots.js';

/** Absent fields are left unchanged. */
export interface HostSettings {
  readonly tier?: string;
  /** 1 to `host_slots`. */
  readonly slots?: number;
  /** Whether the host may serve several accounts at a time. */
  readonly shared?: boolean;
  /** Labels to be set; null removes one. Others stay. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** The agent that did not belong to the host has been stopped. */
  readonly conflictIsOver?: boolean;
}

/** Throws invalid_request. */
export function checkSlots(slots: number, { host_slots }: Pick<Limits, 'host_slots'>): void {
  if (Number.isInteger(slots) && slots >= 1 && slots <= host_slots) return;
  throw fieldError('invalid_request', 'slots', fieldProblem('not_between', { least: 1, most: host_slots }));
}

/** Adds slots up to `count`; never removes one. */
export async function fillSlots(
  tx: Transaction,
  clock: Clock,
  hostId: string,
  tier: string,
  count: number,
): Promise<void> {
  const present = await slotRows.listSlots(tx, hostId);
  for (let position = present.length + 1; position <= count; position++) {
    await slotRows.insertSlot(tx, { slotId: newId('slot'), hostId, tier, position, now: clock.now() });
  }
}

/** Removes free slots that the host cannot use. Until it connects, it is not known that it makes virtual machines. */
export async function retireUnusableSlots(
  tx: Transaction,
  clock: Clock,
  hostId: string,
  driver: Host['driver'],
): Promise<void> {
  const most = usableSlots(Number.MAX_SAFE_INTEGER, driver);
  if (most === MOST_VIRTUAL_MACS) await slotRows.retireFreeSlots(tx, hostId, most, clock.now());
}

/**
 * Applies the settings. Rejects changes that affect rentals: the tier cannot change while a Mac of the host is rented,
 * and a slot that is rented or reserved cannot be removed.
 *
 * @throws ApiError host_state, invalid_request
 * @throws ConstraintError when the tier does not exist
 */
export async function applySettings(
  tx: Transaction,
  { clock, limits }: { clock: Clock; limits: Pick<Limits, 'host_slots'> },
  host: Host,
  { tier, slots, shared, labels, conflictIsOver = false }: HostSettings,
): Promise<Host> {
  const { hostId } = host;
  if (slots !== undefined) checkSlots(slots, limits);
  if (slots !== undefined && slots > usableSlots(slots, host.driver)) {
    throw refusedChange(hostRefusal('more_than_macos_runs', { most: MOST_VIRTUAL_MACS }));
  }
  if (tier !== undefined && tier !== host.tier) {
    if ((await slotRows.countTakenSlots(tx, hostId)) > 0) throw refusedChange(hostRefusal('macs_taken'));
    await rows.setHostTier(tx, hostId, tier);
    await fillSlots(tx, clock, hostId, tier, usableSlots(host.enrolledSlots, host.driver));
  }
  const sold = tier ?? host.tier;
  if (slots !== undefined) {
    if (sold === null) throw refusedChange(hostRefusal('no_tier'));
    await fillSlots(tx, clock, hostId, sold, slots);
    if (!(await slotRows.retireSlots(tx, hostId, slots, clock.now()))) {
      throw refusedChange(hostRefusal('slot_taken'));
    }
  }
  if (shared !== undefined) await rows.setHostShared(tx, hostId, shared);
  const labeled = labels === undefined ? host.labels : changedLabels(host.labels, labels);
  if (labels !== undefined) await rows.setHostLabels(tx, hostId, labeled);
  if (conflictIsOver) await rows.setCredentialConflict(tx, hostId, null);
  const credentialConflict = conflictIsOver ? null : host.credentialConflict;
  return { ...host, tier: sold, shared: shared ?? host.shared, labels: labeled, credentialConflict };
}
