// What runs by itself for builds.
import type { Limits } from '../../platform/domain/limits.js';
import type { Wake } from '../../platform/wake.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { forgetLost } from '../../uploads/app/lost-contents.js';
import type { Artifacts } from '../app/artifacts.js';
import { type AssignmentDeps, assignWaiting } from '../app/build-assignment.js';
import { type OrphanSweepDeps, sweepOrphans } from '../app/orphan-sweep.js';
import { createDeadlines } from './deadlines.js';
import { createOpenEnds, type OpenEndsDeps } from './open-ends.js';
import { createQueueExpiry } from './queue-expiry.js';
import { createStallWatch } from './stall-watch.js';

const DAY_MS = 24 * 3_600_000;

export interface BuildWorkersDeps extends AssignmentDeps, OpenEndsDeps, OrphanSweepDeps {
  readonly artifacts: Pick<Artifacts, 'expire'>;
}

const SHORTEST_LOOK_MS = 100;

/** Follows real time: a test clock that is moved by days would otherwise run it thousands of times. */
export function queueLook(deps: { wake: Pick<Wake, 'wake'>; limits: Pick<Limits, 'queue_look_ms'> }): Worker {
  return {
    // Whatever wakes were lost, no build waits beside a free Mac for long.
    name: 'queue-look',
    periodMs: Math.max(SHORTEST_LOOK_MS, deps.limits.queue_look_ms),
    run: async () => void deps.wake.wake('scheduler'),
  };
}

export function buildWorkers(deps: BuildWorkersDeps): readonly Worker[] {
  return [
    {
      // Woken with the id of an account whose queue or Macs have changed.
      name: 'scheduler',
      periodMs: 300_000,
      wakeOn: ['scheduler'],
      run: async (woken) => void (await assignWaiting(deps, [...woken].map(Number))),
    },
    createDeadlines(deps),
    createQueueExpiry(deps),
    createStallWatch(deps),
    createOpenEnds(deps),
    {
      name: 'artifact-retention',
      periodMs: periodWithin(deps.limits.artifact_kept_ms),
      run: async () => void (await deps.artifacts.expire()),
    },
    {
      // A killed process leaves bytes without a row; a restored backup, rows without bytes.
      name: 'orphan-sweep',
      periodMs: DAY_MS,
      async run() {
        await sweepOrphans(deps);
        await forgetLost(deps);
        return null;
      },
    },
  ];
}
