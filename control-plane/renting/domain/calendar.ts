// Who has which slot when: the intervals of every slot, and what they leave free. In memory only; it is read from the
// database (renting/app/availability.ts) and may be discarded at any time.
import { type Free, fill, freeOn } from './free-time.js';
import { type CalendarHost, gives, isUnpaid, isUp, type Occupation, type Window } from './occupation.js';

export interface Seeker {
  readonly tier: string;
  readonly accountId: number;
  readonly window: Window;
  readonly now: number;
  /** The version that the Macs must have if they are needed now; null: any. */
  readonly xcode: string | null;
}

export type Calendar = ReturnType<typeof createCalendar>;

/**
 * @example
 * const calendar = createCalendar();
 * calendar.put(host, []); // a connected host of the tier m4 with one slot
 * calendar.count({ tier: 'm4', accountId: 7, window: { startsAt: now, endsAt: now + DAY_MS }, now }); // 1
 */
export function createCalendar() {
  const hosts = new Map<string, HostEntry>();
  const hostOfSlot = new Map<string, string>();
  const occupations = new Map<string, Occupation>();

  const detach = (occupation: Occupation): void => {
    occupations.delete(occupation.id);
    const there = occupationsOf(occupation.slotId);
    there?.splice(there.indexOf(occupation), 1);
  };
  const attach = (occupation: Occupation): void => {
    const there = occupationsOf(occupation.slotId);
    if (!there) return;
    occupations.set(occupation.id, occupation);
    const after = there.findIndex((other) => other.startsAt > occupation.startsAt);
    there.splice(after === -1 ? there.length : after, 0, occupation);
  };
  const occupationsOf = (slotId: string) => hosts.get(hostOfSlot.get(slotId) ?? '')?.bySlot.get(slotId);

  const freeFor = (seeker: Seeker, not?: ReadonlySet<string>) => freeOf(hosts.values(), seeker, not);
  const sizeOf = (free: readonly Free[]) => free.reduce((sum, { slotIds }) => sum + slotIds.length, 0);

  return {
    /** Replaces everything known about a host. */
    put(host: CalendarHost, occupied: readonly Occupation[]): void {
      const before = hosts.get(host.hostId)?.bySlot ?? new Map<string, Occupation[]>();
      for (const slot of before.values()) for (const one of slot) occupations.delete(one.id);
      for (const slotId of before.keys()) hostOfSlot.delete(slotId);
      hosts.set(host.hostId, { host, bySlot: new Map(host.slotIds.map((slotId) => [slotId, []])) });
      for (const slotId of host.slotIds) hostOfSlot.set(slotId, host.hostId);
      for (const one of occupied) {
        // A slot may have been read as part of another host before.
        const elsewhere = occupations.get(one.id);
        if (elsewhere) detach(elsewhere);
        attach(one);
      }
    },

    /** Moves an occupation to its slot and time. */
    place(occupation: Occupation): void {
      const before = occupations.get(occupation.id);
      if (before) detach(before);
      attach(occupation);
    },

    remove(id: string): void {
      const before = occupations.get(id);
      if (before) detach(before);
    },

    get: (id: string): Occupation | undefined => occupations.get(id),

    /** Returns all occupations, unordered. */
    occupations: (): Iterable<Occupation> => occupations.values(),

    inSlot: (slotId: string): readonly Occupation[] => occupationsOf(slotId) ?? [],

    /**
     * Returns the Xcodes that hosts of the tier can give new Macs; null: no host can make one, or any of the tier.
     *
     * @param ahead the Macs are needed later, so that hosts which cannot make one now count too
     */
    xcodesOf: (tier: string, ahead: boolean): ReadonlySet<string> | null => xcodesOf(hosts.values(), tier, ahead),

    host: (hostId: string): CalendarHost | undefined => hosts.get(hostId)?.host,

    hostOfSlot: (slotId: string): CalendarHost | undefined => hosts.get(hostOfSlot.get(slotId) ?? '')?.host,

    /** Returns how many slots the account can have for the whole window. */
    count: (seeker: Seeker): number => sizeOf(freeFor(seeker)),

    /** Returns how many slots unpaid orders of the account hold at any time in the window. */
    heldUnpaid: (seeker: Seeker): number => heldUnpaid(hosts.values(), seeker),

    /**
     * Returns slots for the whole window, or null if there are not enough. Prefers hosts that the account already uses,
     * then those that hold the image if a Mac is needed now, then few left-over slots of a host, then the tightest fit.
     *
     * @param not excluded hosts
     */
    pick(seeker: Seeker, units: number, not?: ReadonlySet<string>): string[] | null {
      const free = freeFor(seeker, not);
      return sizeOf(free) < units ? null : fill(free, units);
    },

    /** Returns what conflicts with the account using the slot in the window, except `ignore`. */
    conflicts(
      slotId: string,
      accountId: number,
      window: Window,
      ignore: ReadonlySet<string> = new Set(),
    ): Occupation[] {
      const entry = hosts.get(hostOfSlot.get(slotId) ?? '');
      return entry ? conflictsOn(entry, slotId, accountId, window, ignore) : [];
    },
  };
}

interface HostEntry {
  readonly host: CalendarHost;
  /** By start. */
  readonly bySlot: ReadonlyMap<string, Occupation[]>;
}

/** What the account could have for the whole window. */
function freeOf(
  hosts: Iterable<HostEntry>,
  { tier, accountId, window, now, xcode }: Seeker,
  not?: ReadonlySet<string>,
): Free[] {
  const ahead = window.startsAt > now;
  const free: Free[] = [];
  for (const { host, bySlot } of hosts) {
    if (host.tier !== tier || !host.inService || not?.has(host.hostId)) continue;
    // A host that cannot create such a Mac now is available only to windows that begin later.
    const ready = isUp(host) && gives(host, xcode);
    if (ready || ahead) free.push(...freeOn(host, bySlot, accountId, window, { ahead, ready }));
  }
  return free;
}

function xcodesOf(hosts: Iterable<HostEntry>, tier: string, ahead: boolean): ReadonlySet<string> | null {
  let given: Set<string> | null = null;
  for (const { host } of hosts) {
    if (host.tier !== tier || !host.inService || !(ahead || isUp(host))) continue;
    if (host.xcodes === null) return null;
    given = new Set([...(given ?? []), ...host.xcodes]);
  }
  return given;
}

function heldUnpaid(hosts: Iterable<HostEntry>, { tier, accountId, window }: Seeker): number {
  const holds = (one: Occupation) =>
    isUnpaid(one) && one.accountId === accountId && one.startsAt < window.endsAt && window.startsAt < one.endsAt;
  let slots = 0;
  for (const { host, bySlot } of hosts) {
    if (host.tier !== tier) continue;
    for (const there of bySlot.values()) if (there.some(holds)) slots++;
  }
  return slots;
}

function conflictsOn(
  { host, bySlot }: HostEntry,
  slotId: string,
  accountId: number,
  window: Window,
  ignore: ReadonlySet<string>,
): Occupation[] {
  const found: Occupation[] = [];
  for (const [other, there] of bySlot) {
    if (other !== slotId && host.shared) continue;
    for (const one of there) {
      if (one.startsAt >= window.endsAt) break;
      if (one.endsAt <= window.startsAt || ignore.has(one.id)) continue;
      if (other === slotId || one.accountId !== accountId) found.push(one);
    }
  }
  return found.sort((a, b) => a.startsAt - b.startsAt);
}
