// The interface of workers. A worker without logic is a row in its capability's table (`workers/table.ts`).
import type { Topic } from '../wake.js';

/** Returned by a run that has more work due: the worker runs again immediately, unless it is stopped. */
export const AGAIN = 'again';

export interface Worker {
  readonly name: string;
  /** Runs at least this often, on the injected clock. Default: LONGEST_PERIOD_MS. */
  readonly periodMs?: number;
  /** It is about what this process has in memory. Default: one process runs it for all. */
  readonly inEachProcess?: boolean;
  /**
   * It reads all hosts or Macs, however little has changed, and is woken by each of them: after a long run it rests, so
   * that a large fleet does not keep it running. Wakes in between cause one run.
   */
  readonly readsAll?: boolean;
  /** Topics that trigger an immediate run. Default: none. */
  readonly wakeOn?: readonly Topic[];
  /**
   * Does all work that is due, or a part of it and returns AGAIN. Idempotent: all its state is in the database.
   *
   * @param woken keys of the wakes since the last run; empty on a periodic run, which must check everything.
   *   Only a hint for where to look first: a worker may ignore it.
   * @returns the time of the next due work (ms since the epoch); null or undefined: run again after the period
   */
  run(woken: ReadonlySet<string>): Promise<number | typeof AGAIN | null | undefined>;
  /** Returns a promise for the background work that runs have started, or null if there is none. */
  underWay?(): Promise<unknown> | null;
  /** Cancels background work. Called once, after the last run. */
  stop?(): Promise<void>;
}

const SHORTEST_PERIOD_MS = 1000;
/** Maximum time between two runs of a worker, even if it has wake topics or returns due times. */
export const LONGEST_PERIOD_MS = 3_600_000;

/** Returns a period in ms that is short enough to notice work in time that becomes due `leadMs` after it appears. */
export function periodWithin(leadMs: number): number {
  return Math.max(SHORTEST_PERIOD_MS, Math.min(LONGEST_PERIOD_MS, Math.floor(leadMs / 2)));
}
