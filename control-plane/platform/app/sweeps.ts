// Deletes expired rows in small steps: each step is one short transaction followed by a pause, so that a sweep of
// millions of rows does not delay other commits.
import type { Clock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import type { Store, Transaction } from '../store/sql.js';

/** Rows per statement: few, because each may be read from a slow disk. */
const ROWS = 5;
/** Maximum duration of a step, ms. */
const STEP_MS = 8;
/** Pause between two steps, ms. */
const REST_MS = 25;

/** Deletes up to `limit` expired rows. Returns how many, and whether there may be more. */
export type Remove = (tx: Transaction, limit: number) => Promise<{ rows: number; more: boolean }>;

export type Sweeps = ReturnType<typeof createSweeps>;

/** @param realClock measures steps and pauses; expiry uses the service's clock */
export function createSweeps({ store, realClock }: { store: Store; realClock: Clock }) {
  const deleted = new Map<string, number>();
  const unfinished = new Set<string>();
  let longestMs = 0;

  const labeled = (entries: Iterable<readonly [string, number]>) =>
    Object.fromEntries([...entries].map(([what, value]) => [`what="${what}"`, value]));

  return {
    /**
     * One step of a sweep.
     *
     * @param what names the rows, for the metrics
     * @returns whether more rows are expired
     */
    async step(what: string, remove: Remove): Promise<boolean> {
      if (unfinished.has(what)) await pause(realClock, REST_MS);
      const more = await store.transaction(async (tx) => {
        const begun = realClock.monotonic();
        for (;;) {
          const { rows, more } = await remove(tx, ROWS);
          deleted.set(what, (deleted.get(what) ?? 0) + rows);
          const ms = realClock.monotonic() - begun;
          longestMs = Math.max(longestMs, ms);
          if (!more) return false;
          if (ms >= STEP_MS) return true;
        }
      });
      if (more) unfinished.add(what);
      else unfinished.delete(what);
      return more;
    },
    gauges: [
      {
        name: 'cidermill_retention_rows_total',
        help: 'Expired rows that sweeps have deleted, or whose files they have deleted.',
        type: 'counter' as const,
        read: () => labeled(deleted),
      },
      {
        name: 'cidermill_retention_unfinished',
        help: '1 while a sweep has more to delete.',
        read: () => labeled([...deleted.keys()].map((what) => [what, unfinished.has(what) ? 1 : 0])),
      },
      {
        name: 'cidermill_retention_longest_step_seconds',
        help: 'Longest transaction of a sweep.',
        read: () => ({ '': longestMs / 1000 }),
      },
    ],
  };
}
