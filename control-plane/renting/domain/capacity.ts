// What can be sold, and what becomes of reservations when a Mac keeps its slot longer than was thought.

import type { Tier } from '../../macs/domain/tier.js';
import { DAY_MS, HOUR_MS } from '../../platform/domain/durations.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Calendar } from './calendar.js';
import type { Occupation, Window } from './occupation.js';

/**
 * The time that an order keeps free while it waits to be paid: whenever in its pay link's life it is paid, the
 * bought time fits in.
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
}

const seeker = (tier: Pick<Tier, 'tier'>, demand: Demand, limits: Limits) => ({
  tier: tier.tier,
  accountId: demand.accountId,
  window: orderWindow(demand.startAt, demand.hours, demand.now, limits),
  now: demand.now,
});

/** How many Macs of the tier the account could order; 0 while its sales are closed. */
export function orderable(calendar: Calendar, tier: Tier, demand: Demand, limits: Limits): number {
  return tier.salesOpen ? calendar.count(seeker(tier, demand, limits)) : 0;
}

export type Allotment =
  | { readonly slotIds: readonly string[]; readonly window: Window }
  | { readonly refused: 'sales_closed' | 'no_capacity' };

/** The slots for an order of `units` Macs, or why there are none. */
export function allot(
  calendar: Calendar,
  tier: Tier,
  units: number,
  demand: Demand,
  limits: Limits,
): Allotment {
  if (!tier.salesOpen) return { refused: 'sales_closed' };
  const sought = seeker(tier, demand, limits);
  const slotIds = calendar.pick(sought, units);
  return slotIds ? { slotIds, window: sought.window } : { refused: 'no_capacity' };
}

/** When somebody else's time begins that a rental, kept where it is, would run into; null: never. */
export function conflictAfter(
  calendar: Calendar,
  rental: { rentalId: string; slotId: string; accountId: number; endsAt: number },
): number | null {
  const later = { startsAt: rental.endsAt, endsAt: Number.POSITIVE_INFINITY };
  const [first] = calendar.conflicts(rental.slotId, rental.accountId, later, new Set([rental.rentalId]));
  return first ? Math.max(first.startsAt, rental.endsAt) : null;
}

/** Whole days by which a rental could be extended where it is; null: as many as it likes. */
export function daysUntil(conflictAt: number | null, endsAt: number): number | null {
  return conflictAt === null ? null : Math.max(0, Math.floor((conflictAt - endsAt) / DAY_MS));
}

/**
 * Gives an occupation other times or another slot, and makes room for it: whatever has not begun and is in its way
 * moves to another free slot, or begins when the slot is free again; its length stays. What was in the way and
 * began earlier in the calendar, or has begun already, keeps its place.
 *
 * @returns every occupation that has changed, as it is now
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
      // Not in its own way while it looks for another place.
      calendar.remove(other.id);
      const sought = { tier, accountId: other.accountId, window: other, now };
      const [slotId] = calendar.pick(sought, 1) ?? [];
      place(slotId === undefined ? delayed(other, one.endsAt) : { ...other, slotId });
      if (slotId === undefined) unsettled.push(other.id);
    }
  }
  return [...results.values()];
}

/** A rental and the hold of its own extension do not stand against each other. */
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
