import type { Worker } from '../../platform/workers/worker.js';
import { forgetLost } from '../../uploads/app/lost-contents.js';
import { type OrphanSweepDeps, sweepOrphans } from '../app/orphan-sweep.js';

const PERIOD_MS = 24 * 3_600_000;

/** Removes bytes that a killed process left without a row, and rows without bytes; at the start too, after a restore. */
export function createOrphanSweep(deps: OrphanSweepDeps): Worker {
  return {
    name: 'orphan-sweep',
    periodMs: PERIOD_MS,
    wakeOn: [],
    async run() {
      await sweepOrphans(deps);
      await forgetLost(deps);
      return null;
    },
  };
}
