// Transactions that wait, in the order in which they run.

interface Queued {
  /** Who began it; null: the service itself. */
  readonly party: string | null;
}

/** A queue for each party; their transactions are taken in turn. */
export function createPartyQueue<T extends Queued>() {
  /** In the order of their turns. */
  const parties = new Map<string | null, T[]>();
  let size = 0;
  const next = (): T | null => {
    for (const [party, items] of parties) {
      const item = items.shift();
      parties.delete(party);
      if (items.length > 0) parties.set(party, items);
      if (!item) continue;
      size--;
      return item;
    }
    return null;
  };
  return {
    size: () => size,
    add(item: T) {
      const items = parties.get(item.party);
      if (items) items.push(item);
      else parties.set(item.party, [item]);
      size++;
    },
    next,
    take(count: number): T[] {
      const taken: T[] = [];
      for (let item = next(); item; item = taken.length < count ? next() : null) taken.push(item);
      return taken;
    },
  };
}
