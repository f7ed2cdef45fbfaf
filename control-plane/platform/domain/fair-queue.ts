// Decides whose work is next: start-time fair queueing. Every party has a virtual time that advances by what its work
// has cost; the party that is furthest behind is next. A party that comes back after a pause starts at the present, so
// that it is next at once, but cannot save up unused time.

/** New work may be held back; work that has begun always goes on, because others may wait for what it holds. */
export type Stage = 'new' | 'begun';

interface Party<Item> {
  readonly name: string;
  readonly items: Readonly<Record<Stage, Item[]>>;
  /** Virtual time up to which it has used its share, ms. */
  used: number;
}

/** @example const queue = createFairQueue<() => void>(); queue.add('account 1', work, 'new'); queue.next(() => true)?.(); */
export function createFairQueue<Item>() {
  const parties = new Map<string, Party<Item>>();
  /** Parties with items, so that those with debts only are not searched. */
  const busy = new Set<Party<Item>>();
  let present = 0;
  let waiting = 0;

  const isEmpty = ({ items }: Party<Item>) => items.new.length === 0 && items.begun.length === 0;
  const partyOf = (name: string) => {
    let party = parties.get(name);
    if (!party) {
      party = { name, items: { new: [], begun: [] }, used: present };
      parties.set(name, party);
    }
    return party;
  };
  const tidy = (party: Party<Item>) => {
    if (isEmpty(party)) busy.delete(party);
    // Without anybody waiting there is nobody to share with.
    if (busy.size === 0) parties.clear();
    else if (!busy.has(party) && party.used <= present) parties.delete(party.name);
  };

  return {
    add(name: string, item: Item, stage: Stage): void {
      const party = partyOf(name);
      party.used = isEmpty(party) ? Math.max(party.used, present) : party.used;
      party.items[stage].push(item);
      busy.add(party);
      waiting++;
    },
    /** Does nothing if the item is not in the queue. */
    remove(name: string, item: Item): void {
      const party = parties.get(name);
      for (const items of party ? [party.items.new, party.items.begun] : []) {
        const at = items.indexOf(item);
        if (at < 0) continue;
        items.splice(at, 1);
        waiting--;
      }
      if (party) tidy(party);
    },
    /**
     * Removes and returns the next item; null if there is none. Of one party, work that has begun comes first.
     *
     * @param admits whether new work of a party may begin
     */
    next(admits: (name: string) => boolean): Item | null {
      let first: Party<Item> | null = null;
      for (const party of busy) {
        if (first !== null && party.used >= first.used) continue;
        if (party.items.begun.length > 0 || admits(party.name)) first = party;
      }
      if (first === null) return null;
      const item = first.items.begun.shift() ?? first.items.new.shift();
      if (item === undefined) return null;
      present = Math.max(present, first.used);
      waiting--;
      // The party stays known until the work is charged.
      if (isEmpty(first)) busy.delete(first);
      return item;
    },
    /** Counts `cost` (ms) towards the party. */
    charge(name: string, cost: number): void {
      if (busy.size === 0 && parties.size === 0) return;
      const party = partyOf(name);
      party.used = Math.max(party.used, present) + cost;
      tidy(party);
    },
    /** Returns the number of new items of the party. */
    waitingOf: (name: string): number => parties.get(name)?.items.new.length ?? 0,
    waiting: (): number => waiting,
    /** Whether any item of the party waits. */
    has(name: string): boolean {
      const party = parties.get(name);
      return party !== undefined && !isEmpty(party);
    },
  };
}
