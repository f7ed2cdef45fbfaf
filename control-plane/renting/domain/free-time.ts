// What the occupations of a host leave free, for anybody and for the accounts that are on it already.
import { createGapTree, type Gap, type Window } from './gap-tree.js';
import type { CalendarHost, Occupation } from './occupation.js';

/** Free time of one slot, or of a whole host that serves one account at a time. */
export interface Free extends Gap {
  readonly hostId: string;
  readonly slotIds: readonly string[];
}

/** A gap, and in which tree it is. */
export interface FreeIn {
  readonly gap: Free;
  readonly away: boolean;
  /** Null: anybody's. */
  readonly accountId: number | null;
  readonly kind: keyof OwnTime;
}

/** What a host that is away leaves free can be had only by those who can wait. */
export function createFreeTime() {
  // Before the first occupation of a slot: what can be had now is here, and nothing else is.
  const first = createGapTree<Free>();
  const between = createGapTree<Free>();
  const away = createGapTree<Free>();
  const treeOf = (gap: Free, isAway: boolean) =>
    isAway ? away : gap.start === Number.NEGATIVE_INFINITY ? first : between;
  return {
    add: (gap: Free, isAway: boolean) => treeOf(gap, isAway).add(gap),
    remove: (gap: Free, isAway: boolean) => treeOf(gap, isAway).remove(gap),
    count: (window: Window, ahead: boolean) =>
      first.count(window) + between.count(window) + (ahead ? away.count(window) : 0),
    /** Between occupations first: there a window fits most tightly. */
    *holding(window: Window, ahead: boolean): Generator<Free> {
      yield* between.holding(window);
      yield* first.holding(window);
      if (ahead) yield* away.holding(window);
    },
  };
}
export type FreeTime = ReturnType<typeof createFreeTime>;

/** Of the hosts that serve one account at a time and on which this account is. */
export interface OwnTime {
  /** Each slot, as the account may have it. */
  readonly slots: FreeTime;
  /** When nobody at all is on the host, which `open` counts too. */
  readonly whole: FreeTime;
}
export const createOwnTime = (): OwnTime => ({ slots: createFreeTime(), whole: createFreeTime() });

export function presentOn(bySlot: ReadonlyMap<string, readonly Occupation[]>): Set<number> {
  const present = new Set<number>();
  for (const there of bySlot.values()) for (const one of there) present.add(one.accountId);
  return present;
}

export function freeOf(
  host: CalendarHost,
  bySlot: ReadonlyMap<string, readonly Occupation[]>,
): Map<string, FreeIn> {
  const { hostId, slotIds } = host;
  const away = !host.connected;
  const found = new Map<string, FreeIn>();
  const add = (
    occupied: readonly Window[],
    slots: readonly string[],
    accountId: number | null,
    kind: keyof OwnTime,
  ) => {
    const name = slots.length === 1 ? `${hostId}/${slots[0]}` : hostId;
    for (const { start, end } of gapsBetween(occupied)) {
      const gap = { start, end, size: slots.length, name, hostId, slotIds: slots };
      found.set(`${accountId}/${kind}/${name}/${start}/${end}/${slots.length}/${away}`, {
        gap,
        away,
        accountId,
        kind,
      });
    }
  };
  if (slotIds.length === 0) return found;
  if (host.shared) {
    for (const slotId of slotIds) add(bySlot.get(slotId) ?? [], [slotId], null, 'slots');
    return found;
  }
  const all = [...bySlot.values()].flat();
  add(all, slotIds, null, 'slots');
  for (const accountId of presentOn(bySlot)) {
    add(all, slotIds, accountId, 'whole');
    const foreign = all.filter((one) => one.accountId !== accountId);
    for (const slotId of slotIds) {
      const inSlot = (bySlot.get(slotId) ?? []).filter((one) => one.accountId === accountId);
      add([...foreign, ...inSlot], [slotId], accountId, 'slots');
    }
  }
  return found;
}

/** What lies before, between and after windows, which may overlap. */
function* gapsBetween(windows: readonly Window[]): Generator<{ start: number; end: number }> {
  const sorted = windows.toSorted((a, b) => a.startsAt - b.startsAt);
  let start = Number.NEGATIVE_INFINITY;
  for (const { startsAt, endsAt } of sorted) {
    if (startsAt > start) yield { start, end: startsAt };
    start = Math.max(start, endsAt);
  }
  yield { start, end: Number.POSITIVE_INFINITY };
}

/** Takes `units` slots: a host that has exactly so many, else the largest that is used up, else the smallest; of equals the tightest. */
export function fill(candidates: readonly Free[], units: number): string[] {
  const left = [...candidates];
  const slotIds: string[] = [];
  for (let wanted = units; wanted > 0; wanted = units - slotIds.length) {
    const usedUp = left.filter((free) => free.size <= wanted);
    const largest = Math.max(...usedUp.map((free) => free.size));
    const smallest = Math.min(...left.map((free) => free.size));
    const chosen = left.find((free) => free.size === (usedUp.length > 0 ? largest : smallest));
    if (!chosen) throw new Error('fewer slots than were counted');
    left.splice(left.indexOf(chosen), 1);
    slotIds.push(...chosen.slotIds.slice(0, wanted));
  }
  return slotIds;
}
