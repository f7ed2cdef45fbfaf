// Workers that sweep builds and their logs.
import type { Sweeps } from '../../platform/app/sweeps.js';
import { inParallel } from '../../platform/blobs/file-system.js';
import { sweepPeriod } from '../../platform/workers/sweeps.js';
import { AGAIN, type Worker } from '../../platform/workers/worker.js';
import type { AccountSweep, RetentionDeps } from '../app/retention.js';
import type { BuildLogs } from '../logs/build-logs.js';

export interface RetentionWorkerDeps extends RetentionDeps {
  readonly sweeps: Sweeps;
  readonly logs: BuildLogs;
}

const FILES_AT_ONCE = 4;

/** Creates a worker that deletes the rows that a sweep finds, then the log files of those builds. */
export function retentionWorker(
  { sweeps, logs }: RetentionWorkerDeps,
  row: {
    readonly name: string;
    readonly what: string;
    readonly keptMs: number;
    readonly sweep: AccountSweep;
  },
): Worker {
  return {
    name: row.name,
    periodMs: sweepPeriod(row.keptMs),
    async run() {
      const gone: string[] = [];
      const more = await sweeps.step(row.what, async (tx, limit) => {
        const { buildIds, more } = await row.sweep.remove(tx, limit);
        gone.push(...buildIds);
        return { rows: buildIds.length, more };
      });
      await inParallel(gone, FILES_AT_ONCE, logs.remove);
      return more ? AGAIN : null;
    },
  };
}
