// What the occupations of a host leave free for an account, and which part of it an order gets.
import type { CalendarHost, Occupation, Window } from './occupation.js';

/** Slots that are free for a whole window: of one host, or one slot of it. */
export interface Free {
  readonly slotIds: readonly string[];
  /** The account is on this host already. */
  readonly joined: boolean;
  /** The host cannot create such a Mac now. */
  readonly away: boolean;
  /** A Mac is needed now, and the host has to fetch the image first. */
  readonly late: boolean;
  /** The free time around the window, ms; may be infinite. */
  readonly start: number;
  readonly end: number;
}

/**
 * What the account could have on a host for the whole window. A host that serves one account at a time is free as a
 * whole, unless the account is on it already: then each slot is free for itself, as on a shared host.
 *
 * @param had ahead: the window begins later; ready: the host can create such a Mac now
 */
export function freeOn(
  host: CalendarHost,
  bySlot: ReadonlyMap<string, readonly Occupation[]>,
  accountId: number,
  window: Window,
  { ahead, ready }: { readonly ahead: boolean; readonly ready: boolean },
): Free[] {
  const had = { away: !ready, late: !ahead && !host.holdsImage };
  const alone = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  if (host.shared) {
    return [...bySlot].flatMap(([slotId, there]) => {
      const gap = around(there, window, alone);
      return gap ? [{ slotIds: [slotId], joined: false, ...had, ...gap }] : [];
    });
  }
  let gap: Gap | null = alone;
  let joined = false;
  for (const there of bySlot.values()) {
    joined ||= there.some((one) => one.accountId === accountId);
    gap = around(there, window, gap, (one) => one.accountId !== accountId);
    if (!gap) return [];
  }
  if (!joined) return host.slotIds.length === 0 ? [] : [{ slotIds: host.slotIds, joined, ...had, ...gap }];
  const shared = gap;
  return [...bySlot].flatMap(([slotId, there]) => {
    const own = around(there, window, shared);
    return own ? [{ slotIds: [slotId], joined, ...had, ...own }] : [];
  });
}

interface Gap {
  readonly start: number;
  readonly end: number;
}

/** Narrows a gap to what occupations, ordered by start, leave of it around the window; null when one is in the way. */
function around(
  occupations: readonly Occupation[],
  window: Window,
  within: Gap,
  counts: (one: Occupation) => boolean = () => true,
): Gap | null {
  let { start, end } = within;
  for (const one of occupations) {
    if (!counts(one)) continue;
    if (one.startsAt >= window.endsAt) {
      end = Math.min(end, one.startsAt);
      break;
    }
    if (one.endsAt > window.startsAt) return null;
    start = Math.max(start, one.endsAt);
  }
  return { start, end };
}

/**
 * Takes `units` slots: of hosts where the account is already, then of hosts that hold the image; of these, of a host that
 * has exactly that many free, else of the largest that is used up, else of the smallest; of equals of the tightest. At
 * least `units` slots must be free.
 */
export function fill(free: readonly Free[], units: number): string[] {
  const joined = free.filter((one) => one.joined).sort((a, b) => (isTighter(a, b) ? -1 : 1));
  const slotIds = joined.flatMap((one) => one.slotIds).slice(0, units);
  const left = new Set(free.filter((one) => !one.joined));
  for (let wanted = units - slotIds.length; wanted > 0; wanted = units - slotIds.length) {
    let best: Free | null = null;
    for (const one of left) if (best === null || isBetter(one, best, wanted)) best = one;
    if (best === null) throw new Error('fewer slots than were counted');
    left.delete(best);
    slotIds.push(...best.slotIds.slice(0, wanted));
  }
  return slotIds;
}

function isBetter(a: Free, b: Free, wanted: number): boolean {
  if (a.late !== b.late) return b.late;
  const sizes = [a.slotIds.length, b.slotIds.length] as const;
  if (sizes[0] === sizes[1]) return isTighter(a, b);
  const usedUp = sizes.map((size) => size <= wanted);
  if (usedUp[0] !== usedUp[1]) return usedUp[0] === true;
  return usedUp[0] ? sizes[0] > sizes[1] : sizes[0] < sizes[1];
}

/** Order: hosts that can create Macs, then those that hold the image, then gaps after an occupation, then the earliest end. */
function isTighter(a: Free, b: Free): boolean {
  if (a.away !== b.away) return b.away;
  if (a.late !== b.late) return b.late;
  const unbounded = [a, b].map(({ start }) => start === Number.NEGATIVE_INFINITY);
  if (unbounded[0] !== unbounded[1]) return unbounded[1] === true;
  if (a.end !== b.end) return a.end < b.end;
  return (a.slotIds[0] ?? '') < (b.slotIds[0] ?? '');
}
