// Deletes expired rows in small steps: each step is one short transaction followed by a pause, so that a sweep of
// millions of rows does not delay other commits.
import type { Clock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import type { Gauge } from '../app/gauge.js';
import type { Store, Transaction } from '../store/sql.js';
import { AGAIN, periodWithin, type Worker } from './worker.js';

/** Rows per statement: few, because each may be read from a slow disk. */
const ROWS = 5;
/** Maximum duration of a step, ms. */
const STEP_MS = 8;
/** Pause between two steps, ms. */
const REST_MS = 25;

/** Deletes up to `limit` expired rows. Returns how many, and whether there may be more. */
export type Remove = (tx: Transaction, limit: number) => Promise<{ rows: number; more: boolean }>;

export interface Sweeps {
  /**
   * One step of a sweep.
   *
   * @param what names the rows, for the metrics
   * @returns AGAIN while more rows are expired, otherwise null
   */
  step(what: string, remove: Remove): Promise<typeof AGAIN | null>;
  readonly gauges: readonly Gauge[];
}

/** @param realClock measures steps and pauses; expiry uses the service's clock */
export function createSweeps({ store, realClock }: { store: Store; realClock: Clock }): Sweeps {
  const deleted = new Map<string, number>();
  const unfinished = new Set<string>();
  let longestMs = 0;

  const labeled = (entries: Iterable<readonly [string, number]>) =>
    Object.fromEntries([...entries].map(([what, value]) => [`what="${what}"`, value]));

  return {
    async step(what, remove) {
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
      return more ? AGAIN : null;
    },
    gauges: [
      {
        name: 'cidermill_retention_rows_total',
        help: 'Expired rows that sweeps have deleted, or whose files they have deleted.',
        type: 'counter',
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

export interface PurgeDeps {
  readonly sweeps: Sweeps;
  readonly clock: Clock;
}

/** Interval of sweeps for rows that are kept for months. */
const LONGEST_SWEEP_PERIOD_MS = 6 * 3_600_000;

/** Returns how often rows with this lifetime are swept, ms. */
export const sweepPeriod = (keptMs: number): number =>
  keptMs > 80 * LONGEST_SWEEP_PERIOD_MS ? LONGEST_SWEEP_PERIOD_MS : periodWithin(keptMs);

/**
 * Creates a sweep that deletes rows in the order of their age. Fewer than `limit` deleted rows mean that none are left.
 */
export const oldest =
  (remove: (tx: Transaction, limit: number) => Promise<number>): Remove =>
  async (tx, limit) => {
    const rows = await remove(tx, limit);
    return { rows, more: rows === limit };
  };

/** Creates a worker that deletes rows of one kind once they are older than `keptMs`. */
export function purge(
  { sweeps, clock }: PurgeDeps,
  what: string,
  keptMs: number,
  remove: (tx: Transaction, before: number, limit: number) => Promise<number>,
): Worker {
  return {
    name: `${what}-purge`,
    periodMs: sweepPeriod(keptMs),
    run: () =>
      sweeps.step(
        what,
        oldest((tx, limit) => remove(tx, clock.now() - keptMs, limit)),
      ),
  };
}
