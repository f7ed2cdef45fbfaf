// The live stream: says which nouns have changed, so that queries about them are repeated. Query keys are
// `[organization, noun, …]`, and `['operator', noun, …]` on the operators' pages.

import type { clock, Timer } from '../clock.js';

export interface LiveChange {
  /** `all`: everything. */
  readonly nouns: readonly string[];
  /** Of the nouns `build` and `order`, only these have changed. Empty: any. */
  readonly ids: readonly string[];
}

export const EVERYTHING: LiveChange = { nouns: ['all'], ids: [] };

/** Nouns of one object, whose id comes next in the query key. */
const single: readonly string[] = ['build', 'order'];

/** @param owner the first part of the query keys: the organization's id, or `operator` */
export function concerns({ nouns, ids }: LiveChange, owner: string, queryKey: readonly unknown[]): boolean {
  const [first, noun, id] = queryKey;
  if (first !== owner || typeof noun !== 'string') return false;
  if (nouns.includes('all')) return true;
  if (!nouns.includes(noun)) return false;
  return !single.includes(noun) || ids.length === 0 || ids.includes(String(id));
}

/** Returns null for what is not a change. */
export function parseChange(text: string): LiveChange | null {
  try {
    const { nouns, ids } = JSON.parse(text) as Partial<LiveChange>;
    return Array.isArray(nouns) && Array.isArray(ids) ? { nouns, ids } : null;
  } catch {
    return null;
  }
}

const together = (one: LiveChange, other: LiveChange): LiveChange => {
  const nouns = [...new Set([...one.nouns, ...other.nouns])];
  // Empty ids mean any object, if the change is about one.
  const any = [one, other].some(({ nouns: of, ids }) => ids.length === 0 && of.some((noun) => single.includes(noun)));
  return { nouns, ids: any ? [] : [...new Set([...one.ids, ...other.ids])] };
};

const LONGEST_MS = 4_000;
/** The same for changes of single objects: somebody watches one. */
const LONGEST_OF_ONE_MS = 1_000;

/**
 * Passes a change on at once, and those that follow in growing intervals of up to four seconds, so that a page does not
 * use up its person's requests in an organization with constant changes.
 *
 * @param longestMs the longest interval
 */
export function paced(
  apply: (change: LiveChange) => void,
  timers: Pick<typeof clock, 'setTimeout'>,
  longestMs = LONGEST_MS,
) {
  let waiting: LiveChange | null = null;
  let timer: Timer | null = null;
  let interval = 500;
  const next = () => {
    timer = null;
    if (!waiting) {
      interval = 500;
      return;
    }
    const change = waiting;
    waiting = null;
    interval = Math.min(interval * 2, longestMs);
    timer = timers.setTimeout(next, interval);
    apply(change);
  };
  return {
    add(change: LiveChange): void {
      waiting = waiting ? together(waiting, change) : change;
      if (timer === null) next();
    },
    stop(): void {
      timer?.cancel();
      timer = null;
      waiting = null;
    },
  };
}

/** The same; those of single objects, such as the build that is shown, do not wait for those of lists. */
export function pacedByKind(apply: (change: LiveChange) => void, timers: Pick<typeof clock, 'setTimeout'>) {
  const ofOne = paced(apply, timers, LONGEST_OF_ONE_MS);
  const others = paced(apply, timers);
  return {
    add(change: LiveChange): void {
      const { nouns, ids } = change;
      const [one, rest] = [true, false].map((is) => nouns.filter((noun) => single.includes(noun) === is));
      if (ids.length === 0 || !one?.length) {
        others.add(change);
        return;
      }
      ofOne.add({ nouns: one, ids });
      if (rest?.length) others.add({ nouns: rest, ids: [] });
    },
    stop(): void {
      ofOne.stop();
      others.stop();
    },
  };
}

/** Returns how often the service sends a beat, in ms; null for what is not a beat. */
export function parseBeat(text: string): number | null {
  try {
    const { every_ms } = JSON.parse(text) as { every_ms?: unknown };
    return typeof every_ms === 'number' && every_ms > 0 ? every_ms : null;
  } catch {
    return null;
  }
}

/** How long to wait before another attempt to reach the service, in ms: a page is live again within two seconds. */
export const unreachableDelay = (random: number): number => 750 + 750 * random;

/**
 * How long to wait after the service has refused a stream `attempt` times, in ms; `random` is between 0 and 1.
 */
export const reconnectDelay = (attempt: number, random: number): number =>
  Math.min(1_000 * 2 ** (attempt - 1), 60_000) * (0.5 + random / 2);
