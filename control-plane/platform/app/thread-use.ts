// How parties have used the main thread lately, and how long their next work is expected to wait.

/** Time over which use of the thread is averaged, ms. */
const RECENT_MS = 1_000;
/** Weight of the last turn in the average cost of a party's turns. */
const NEWEST = 1 / 8;

/** A party that has used less lately is light, ms. */
const LIGHT_MS = 50;

export interface Queued {
  /** New work of the party that waits. */
  readonly waiting: number;
  /** Whether other parties had to wait for a turn lately. */
  readonly shared: boolean;
  /** Time until work that would be added now is expected to begin, ms. */
  readonly expectedMs: number;
}

/** Thread time, of which what was used `RECENT_MS` ago counts for a third. */
class Recent {
  /** Average cost of a turn, ms. */
  cost = 0;
  waitedAt = Number.NEGATIVE_INFINITY;
  #used = 0;
  #at = 0;

  add(ms: number, now: number): void {
    this.#used = this.used(now) + ms;
    this.#at = now;
    this.cost += this.cost === 0 ? ms : (ms - this.cost) * NEWEST;
  }

  used(now: number): number {
    return this.#used * Math.exp((this.#at - now) / RECENT_MS);
  }

  isOver(now: number): boolean {
    return now - Math.max(this.#at, this.waitedAt) > RECENT_MS;
  }
}

export function createThreadUse(stopwatch: () => number) {
  const recent = new Map<string, Recent>();
  const all = new Recent();
  let prunedAt = 0;
  const of = (party: string) => {
    const one = recent.get(party) ?? new Recent();
    recent.set(party, one);
    return one;
  };
  return {
    /** Counts a turn. */
    add(party: string, ms: number): void {
      const now = stopwatch();
      of(party).add(ms, now);
      all.add(ms, now);
      if (now - prunedAt < RECENT_MS) return;
      prunedAt = now;
      for (const [name, one] of recent) if (one.isOver(now)) recent.delete(name);
    },
    /** Work of the party could not begin at once. */
    waited(party: string): void {
      of(party).waitedAt = stopwatch();
    },
    /** Whether the party has hardly used the thread lately. */
    isLight: (party: string): boolean => (recent.get(party)?.used(stopwatch()) ?? 0) < LIGHT_MS,
    /** @param waiting items of new work of the party that wait */
    expect(party: string, waiting: number): Queued {
      if (waiting === 0) return { waiting, shared: false, expectedMs: 0 };
      const now = stopwatch();
      const others = [...recent].filter(([name, one]) => name !== party && now - one.waitedAt <= RECENT_MS);
      const own = recent.get(party);
      // With the share that it has had lately.
      const share = own ? Math.min(others.length + 1, all.used(now) / Math.max(own.used(now), 0.001)) : 1;
      return { waiting, shared: others.length > 0, expectedMs: waiting * (own?.cost ?? 0) * share };
    },
  };
}
