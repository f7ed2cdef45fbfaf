// What every worker looks like. One without logic of its own is a row of its capability's table (`workers/table.ts`).
import type { Topic } from '../wake.js';

export interface Worker {
  readonly name: string;
  /** Runs at least this often, on the injected clock. Default: LONGEST_PERIOD_MS. */
  readonly periodMs?: number;
  /** Runs at once when one of these is woken. Default: none. */
  readonly wakeOn?: readonly Topic[];
  /**
   * Does all that is due now. Harmless to repeat: everything it needs to know stands in the database.
   *
   * @param woken keys of the wakes since the last run; empty on a periodic run, which has to look everywhere.
   *   Only a hint where to look first: a worker that ignores it is right too.
   * @returns when something will be due (ms since the epoch); null or nothing when the period is enough
   */
  run(woken: ReadonlySet<string>): Promise<number | null | undefined>;
  /** What runs began and did not wait for; null when nothing of it is left. */
  underWay?(): Promise<unknown> | null;
  /** Breaks off what is under way; called once, when no other run begins. */
  stop?(): Promise<void>;
}

const SHORTEST_PERIOD_MS = 1000;
/** A worker that is woken or knows when something is due runs this often all the same. */
export const LONGEST_PERIOD_MS = 3_600_000;

/** A period short enough that what becomes due `leadMs` after it appears is seen in time. */
export function periodWithin(leadMs: number): number {
  return Math.max(SHORTEST_PERIOD_MS, Math.min(LONGEST_PERIOD_MS, Math.floor(leadMs / 2)));
}
