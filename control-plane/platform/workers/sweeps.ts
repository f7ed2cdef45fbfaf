// Workers that delete expired rows.
import type { Clock } from '../../../shared/clock.js';
import type { Sweeps } from '../app/sweeps.js';
import type { Transaction } from '../store/sql.js';
import { AGAIN, periodWithin, type Worker } from './worker.js';

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
 * One step of a sweep that deletes rows in the order of their age, as the run of a worker.
 *
 * @param remove deletes up to `limit` rows and returns how many; fewer mean that none are left
 */
export async function sweep(
  sweeps: Sweeps,
  what: string,
  remove: (tx: Transaction, limit: number) => Promise<number>,
): Promise<typeof AGAIN | null> {
  const more = await sweeps.step(what, async (tx, limit) => {
    const rows = await remove(tx, limit);
    return { rows, more: rows === limit };
  });
  return more ? AGAIN : null;
}

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
    run: () => sweep(sweeps, what, (tx, limit) => remove(tx, clock.now() - keptMs, limit)),
  };
}
