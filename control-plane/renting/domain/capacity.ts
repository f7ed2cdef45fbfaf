// Decides what can be sold, and how reservations move when a Mac keeps its slot longer than planned.

import { type Host, takesRentals } from '../../hosts/domain/host.js';
import type { Tier } from '../../macs/domain/tier.js';
import { DAY_MS, HOUR_MS } from '../../platform/domain/durations.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Calendar } from './calendar.js';
import { isUp, type Occupation, type Window } from './occupation.js';
import { unpaidRoom } from './unpaid-orders.js';

/**
 * Returns the window that an order holds while unpaid: long enough for the bought time whenever it is paid before its
 * pay link expires.
 *
 * @param startAt null: as soon as it is paid
 */
export function orderWindow(startAt: number | null, hours: number, now: number, limits: Limits): Window {
  const startsAt = Math.max(startAt ?? now, now);
  const latest = Math.max(startsAt, now + limits.pay_link_ms);
  return { startsAt, endsAt: latest + hours * HOUR_MS };
}

export interface Demand {
  readonly accountId: number;
  readonly hours: number;
  readonly startAt: number | null;
  readonly now: number;
  /** The Xcode that the Macs are to have; null: any. */
  readonly xcode: string | null;
}

/** Returns the demand for Macs, of the tier's default Xcode if none is given. */
export function demandFor(
  tier: Pick<Tier, 'defaultXcode'>,
  demand: Omit<Demand, 'xcode'>,
  xcode: string | null = null,
): Demand {
  return { ...demand, xcode: xcode ?? tier.defaultXcode };
}

const seeker = (tier: Pick<Tier, 'tier'>, demand: Demand, limits: Limits) => ({
  tier: tier.tier,
  accountId: demand.accountId,
  window: orderWindow(demand.startAt, demand.hours, demand.now, limits),
  now: demand.now,
  xcode: demand.xcode,
});

/** Returns how many Macs of the tier are free for the account; 0 while its sales are closed. */
export function orderable(calendar: Calendar, tier: Tier, demand: Demand, limits: Limits): number {
  return tier.salesOpen ? calendar.count(seeker(tier, demand, limits)) : 0;
}

/** Returns how many of them its next order may have while its unpaid orders are not paid. */
export function orderableUnpaid(calendar: Calendar, tier: Tier, demand: Demand, limits: Limits): number {
  const held = calendar.heldUnpaid(seeker(tier, demand, limits));
  // The share is one of all free Macs, whichever Xcode they can have.
  const free = orderable(calendar, tier, { ...demand, xcode: null }, limits);
  return Math.min(unpaidRoom(free, held, limits), orderable(calendar, tier, demand, limits));
}

export type Allotment =
  | { readonly slotIds: readonly string[]; readonly window: Window }
  | { readonly refused: 'sales_closed' | 'no_capacity' | 'unpaid_share' };

/** Returns the slots for an order of `units` Macs, or why there are none. */
export function allot(calendar: Calendar, tier: Tier, units: number, demand: Demand, limits: Limits): Allotment {
  if (!tier.salesOpen) return { refused: 'sales_closed' };
  const sought = seeker(tier, demand, limits);
  const slotIds = calendar.pick(sought, units);
  if (!slotIds) return { refused: 'no_capacity' };
  if (units > orderableUnpaid(calendar, tier, demand, limits)) return { refused: 'unpaid_share' };
  return { slotIds, window: sought.window };
}

/** Returns when the next occupation that conflicts with a longer rental in its slot begins; null: never. */
export function conflictAfter(
  calendar: Calendar,
  rental: { rentalId: string; slotId: string; accountId: number; endsAt: number },
): number | null {
  const later = { startsAt: rental.endsAt, endsAt: Number.POSITIVE_INFINITY };
  const [first] = calendar.conflicts(rental.slotId, rental.accountId, later, new Set([rental.rentalId]));
  return first ? Math.max(first.startsAt, rental.endsAt) : null;
}

/** Returns the whole days by which a rental can be extended in its slot; null: unlimited. */
export function daysUntil(conflictAt: number | null, endsAt: number): number | null {
  return conflictAt === null ? null : Math.max(0, Math.floor((conflictAt - endsAt) / DAY_MS));
}

/**
 * Changes the times or the slot of an occupation and makes room for it: conflicting occupations that have not begun
 * move to another free slot, or start later in the same slot, with unchanged length. Those that start earlier, or have
 * begun, keep their place.
 *
 * @returns every changed occupation in its new form
 */
export function reschedule(calendar: Calendar, changed: Occupation, tier: string, now: number): Occupation[] {
  const results = new Map<string, Occupation>();
  const place = (occupation: Occupation) => {
    calendar.place(occupation);
    results.set(occupation.id, occupation);
  };
  const before = calendar.get(changed.id);
  const extensions = before ? calendar.inSlot(before.slotId).filter((one) => one.extends === changed.id) : [];
  place(changed);
  const unsettled = [changed.id];
  for (const one of extensions) {
    place({ ...delayed(one, changed.endsAt), slotId: changed.slotId });
    unsettled.push(one.id);
  }
  for (let id = unsettled.shift(); id !== undefined; id = unsettled.shift()) {
    const one = calendar.get(id);
    if (!one) continue;
    const inTheWay = conflictsOf(calendar, one);
    const first = inTheWay.find((other) => !givesWay(other, one));
    if (first && one.movable) {
      place(delayed(one, first.endsAt));
      unsettled.push(one.id);
      continue;
    }
    for (const other of inTheWay) {
      if (!other.movable) continue;
      // Removed first, so that it does not conflict with itself.
      calendar.remove(other.id);
      const sought = { tier, accountId: other.accountId, window: other, now, xcode: other.xcode };
      const [slotId] = calendar.pick(sought, 1) ?? [];
      place(slotId === undefined ? delayed(other, one.endsAt) : { ...other, slotId });
      if (slotId === undefined) unsettled.push(other.id);
    }
  }
  return [...results.values()];
}

/** A rental and the hold of its extension do not conflict. */
function conflictsOf(calendar: Calendar, one: Occupation): Occupation[] {
  const found = calendar.conflicts(one.slotId, one.accountId, one, new Set([one.id]));
  return found.filter((other) => other.extends !== one.id && one.extends !== other.id);
}

function givesWay(other: Occupation, one: Occupation): boolean {
  return other.movable && (!one.movable || other.startsAt >= one.startsAt);
}

function delayed(occupation: Occupation, startsAt: number): Occupation {
  return { ...occupation, startsAt, endsAt: startsAt + (occupation.endsAt - occupation.startsAt) };
}

export interface SlotCounts {
  /** A new account could have a Mac there now. */
  readonly free: number;
  /** With a Mac, reserved, or held by an unpaid order. */
  readonly used: number;
  /** The host takes no new Macs now, or serves one account at a time and has it. */
  readonly unsellable: number;
}

/** The slots of one host. */
export function slotCounts(
  host: Pick<Host, 'status' | 'draining' | 'connected' | 'blocked' | 'shared'>,
  { total, used }: { readonly total: number; readonly used: number },
): SlotCounts {
  const isSellable =
    takesRentals(host) &&
    isUp({ connected: host.connected, blocked: host.blocked !== null }) &&
    (host.shared || used === 0);
  const rest = total - used;
  return isSellable ? { free: rest, used, unsellable: 0 } : { free: 0, used, unsellable: rest };
}

export function addCounts(a: SlotCounts, b: SlotCounts): SlotCounts {
  return { free: a.free + b.free, used: a.used + b.used, unsellable: a.unsellable + b.unsellable };
}
