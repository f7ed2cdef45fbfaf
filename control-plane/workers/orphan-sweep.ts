import { type OrphanSweepDeps, sweepOrphans } from '../app/orphan-sweep.js';
import type { Worker } from './worker.js';

const PERIOD_MS = 24 * 3_600_000;

/** Removes bytes that a killed process left without a row; at the start too, when there is most of them. */
export function createOrphanSweep(deps: OrphanSweepDeps): Worker {
  return {
    name: 'orphan-sweep',
    periodMs: PERIOD_MS,
    wakeOn: [],
    async run() {
      await sweepOrphans(deps);
      return null;
    },
  };
}
