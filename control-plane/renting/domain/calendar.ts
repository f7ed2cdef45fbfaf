// Who has which slot when: the intervals of every slot, and what they leave free, found in logarithmic time.
// Pure memory; what it holds is read from the database (renting/app/stock.ts) and may be thrown away at any moment.
import {
  createFreeTime,
  createOwnTime,
  type Free,
  type FreeIn,
  type FreeTime,
  fill,
  freeOf,
  type OwnTime,
  presentOn,
} from './free-time.js';
import type { Window } from './gap-tree.js';
import type { CalendarHost, Occupation } from './occupation.js';

export interface Seeker {
  readonly tier: string;
  readonly accountId: number;
  readonly window: Window;
  readonly now: number;
}

// Hosts to look at beyond the tightest one, to find a set of them that leaves few slots over.
const LOOK_AHEAD = 32;

export type Calendar = ReturnType<typeof createCalendar>;

/**
 * @example
 * const calendar = createCalendar();
 * calendar.put({ hostId: 'host_1', tier: 'm4', inService: true, connected: true, shared: false, slotIds: ['s1'] }, []);
 * calendar.count({ tier: 'm4', accountId: 7, window: { startsAt: now, endsAt: now + DAY_MS }, now }); // 1
 */
export function createCalendar() {
  const hosts = new Map<string, HostEntry>();
  const hostOfSlot = new Map<string, string>();
  const occupations = new Map<string, Occupation>();
  // What anybody may have, per tier; and per tier and account what its own hosts still have for it.
  const open = new Map<string, FreeTime>();
  const own = new Map<string, OwnTime>();

  const openOf = (tier: string) => getOr(open, tier, createFreeTime);
  const ownOf = (tier: string, accountId: number) => getOr(own, `${accountId}/${tier}`, createOwnTime);

  /** Works out anew what the host leaves free; only what differs touches the trees. */
  const refresh = (entry: HostEntry) => {
    const { host, free: before } = entry;
    const after =
      host.tier !== null && host.inService ? freeOf(host, entry.bySlot) : new Map<string, FreeIn>();
    entry.free = after;
    const timeOf = ({ accountId, kind }: FreeIn) => {
      const tier = entry.tier ?? '';
      return accountId === null ? openOf(tier) : ownOf(tier, accountId)[kind];
    };
    for (const [name, free] of before) if (!after.has(name)) timeOf(free).remove(free.gap, free.away);
    entry.tier = host.tier;
    for (const [name, free] of after) if (!before.has(name)) timeOf(free).add(free.gap, free.away);
  };
  const detach = (occupation: Occupation): HostEntry | undefined => {
    occupations.delete(occupation.id);
    const entry = hosts.get(hostOfSlot.get(occupation.slotId) ?? '');
    const there = entry?.bySlot.get(occupation.slotId);
    there?.splice(there.indexOf(occupation), 1);
    return entry;
  };
  const attach = (occupation: Occupation): HostEntry | undefined => {
    const entry = hosts.get(hostOfSlot.get(occupation.slotId) ?? '');
    const there = entry?.bySlot.get(occupation.slotId);
    if (!entry || !there) return undefined;
    occupations.set(occupation.id, occupation);
    const after = there.findIndex((other) => other.startsAt > occupation.startsAt);
    there.splice(after === -1 ? there.length : after, 0, occupation);
    return entry;
  };

  const timesFor = ({ tier, accountId }: Pick<Seeker, 'tier' | 'accountId'>) => ({
    anybody: open.get(tier),
    mine: own.get(`${accountId}/${tier}`),
  });
  const isOwnHost = (hostId: string, accountId: number) => {
    const entry = hosts.get(hostId);
    return entry !== undefined && !entry.host.shared && presentOn(entry.bySlot).has(accountId);
  };

  return {
    /** Everything that is known of a host, in place of what was. */
    put(host: CalendarHost, occupied: readonly Occupation[]): void {
      const present = hosts.get(host.hostId);
      const entry: HostEntry = present ?? { host, tier: null, bySlot: new Map(), free: new Map() };
      for (const slot of entry.bySlot.values()) for (const one of slot) occupations.delete(one.id);
      for (const slotId of entry.bySlot.keys()) hostOfSlot.delete(slotId);
      if (entry.host.tier !== host.tier) {
        // Its free time lies in another tier's trees.
        entry.bySlot = new Map();
        entry.host = { ...entry.host, inService: false };
        refresh(entry);
      }
      entry.host = host;
      entry.bySlot = new Map(host.slotIds.map((slotId) => [slotId, []]));
      for (const slotId of host.slotIds) hostOfSlot.set(slotId, host.hostId);
      hosts.set(host.hostId, entry);
      for (const one of occupied) {
        // A slot may have moved here from what was read of another host before.
        const elsewhere = occupations.get(one.id);
        if (elsewhere) {
          const left = detach(elsewhere);
          if (left && left !== entry) refresh(left);
        }
        attach(one);
      }
      refresh(entry);
    },

    /** Puts an occupation where it says, wherever it was before. */
    place(occupation: Occupation): void {
      const before = occupations.get(occupation.id);
      const left = before && detach(before);
      const entered = attach(occupation);
      if (left && left !== entered) refresh(left);
      if (entered) refresh(entered);
    },

    remove(id: string): void {
      const before = occupations.get(id);
      const left = before && detach(before);
      if (left) refresh(left);
    },

    get: (id: string): Occupation | undefined => occupations.get(id),

    /** All of them, in no order. */
    occupations: (): Iterable<Occupation> => occupations.values(),

    inSlot: (slotId: string): readonly Occupation[] =>
      hosts.get(hostOfSlot.get(slotId) ?? '')?.bySlot.get(slotId) ?? [],

    host: (hostId: string): CalendarHost | undefined => hosts.get(hostId)?.host,

    hostOfSlot: (slotId: string): CalendarHost | undefined => hosts.get(hostOfSlot.get(slotId) ?? '')?.host,

    /** How many slots the account could have for the whole window. */
    count({ tier, accountId, window, now }: Seeker): number {
      const { anybody, mine } = timesFor({ tier, accountId });
      const ahead = window.startsAt > now;
      const free = anybody?.count(window, ahead) ?? 0;
      // A host on which the account is already is counted by its slots, not as a whole.
      if (!mine) return free;
      return free - mine.whole.count(window, ahead) + mine.slots.count(window, ahead);
    },

    /**
     * Slots for the whole window, or null when there are not so many. First on hosts where the account is
     * already, then so that few slots of a host are left over, then where the window fits most tightly.
     *
     * @param not hosts that are out of question
     */
    pick(seeker: Seeker, units: number, not: ReadonlySet<string> = new Set()): string[] | null {
      const { accountId, window, now } = seeker;
      const { anybody, mine } = timesFor(seeker);
      const ahead = window.startsAt > now;
      const picked: string[] = [];
      for (const free of mine?.slots.holding(window, ahead) ?? []) {
        if (picked.length === units) return picked;
        if (!not.has(free.hostId)) picked.push(...free.slotIds);
      }
      const candidates: Free[] = [];
      let found = picked.length;
      let beyond = 0;
      for (const free of anybody?.holding(window, ahead) ?? []) {
        if (found >= units && ++beyond > LOOK_AHEAD) break;
        if (not.has(free.hostId) || (mine && isOwnHost(free.hostId, accountId))) continue;
        candidates.push(free);
        found += free.size;
      }
      if (found < units) return null;
      return [...picked, ...fill(candidates, units - picked.length)];
    },

    /** What stands against the account having the slot in the window; nothing of `ignore` counts. */
    conflicts(
      slotId: string,
      accountId: number,
      window: Window,
      ignore: ReadonlySet<string> = new Set(),
    ): Occupation[] {
      const entry = hosts.get(hostOfSlot.get(slotId) ?? '');
      if (!entry) return [];
      const found: Occupation[] = [];
      for (const [other, there] of entry.bySlot) {
        if (other !== slotId && entry.host.shared) continue;
        for (const one of there) {
          if (one.startsAt >= window.endsAt) break;
          if (one.endsAt <= window.startsAt || ignore.has(one.id)) continue;
          if (other === slotId || one.accountId !== accountId) found.push(one);
        }
      }
      return found.sort((a, b) => a.startsAt - b.startsAt);
    },
  };
}

interface HostEntry {
  host: CalendarHost;
  /** Whose trees hold `free`. */
  tier: string | null;
  /** By start. */
  bySlot: Map<string, Occupation[]>;
  free: Map<string, FreeIn>;
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
