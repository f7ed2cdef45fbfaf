// Workers of builds.
import { createFileAges } from '../../platform/app/file-ages.js';
import { collectObjects, type ObjectCollectionDeps } from '../../platform/app/object-collection.js';
import type { ObjectPlace } from '../../platform/app/object-place.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Wake } from '../../platform/wake.js';
import { purge } from '../../platform/workers/sweeps.js';
import { AGAIN, periodWithin, type Worker } from '../../platform/workers/worker.js';
import { forgetLost } from '../../uploads/app/lost-contents.js';
import type { Artifacts } from '../app/artifacts.js';
import { type AssignmentDeps, assignWaiting } from '../app/build-assignment.js';
import { type EndedLogsDeps, moveEndedLogs } from '../app/ended-logs.js';
import { countEndedLogs, type LogCountDeps } from '../app/log-usage.js';
import { type OrphanLogsDeps, sweepOrphanLogs } from '../app/orphan-logs.js';
import { knownKeys, type OrphanSweepDeps, sweepOrphans } from '../app/orphan-sweep.js';
import { expireQueued, stopOverdue } from '../app/overdue-builds.js';
import { createBuildSweep, createLogSweep } from '../app/retention.js';
import { createStallWatch } from '../app/stalls.js';
import { checkRecords, checkUsage, type UsageCheckDeps } from '../app/usage-check.js';
import type { EndedLogs } from '../logs/ended-logs.js';
import { deleteUnusedScripts } from '../store/scripts.js';
import { createOpenEnds, type OpenEndsDeps } from './open-ends.js';
import { type RetentionWorkerDeps, retentionWorker } from './retention.js';

const DAY_MS = 24 * 3_600_000;

export interface BuildWorkersDeps
  extends AssignmentDeps,
    Pick<LogCountDeps, 'lock'>,
    OrphanSweepDeps,
    OrphanLogsDeps,
    RetentionWorkerDeps,
    UsageCheckDeps {
  readonly artifacts: Pick<Artifacts, 'expire'>;
  /** Null: contents are files. */
  readonly objects: ObjectPlace | null;
  /** Null: logs stay where they are written. */
  readonly endedLogs: EndedLogs | null;
}

const SHORTEST_PERIOD_MS = 100;

/** Workers that follow real time. Advancing a test clock by days would run them thousands of times. */
export const realTimeBuildWorkers = (deps: OpenEndsDeps & QueueCheckDeps): readonly Worker[] => [
  queueCheck(deps),
  createOpenEnds(deps),
];

interface QueueCheckDeps {
  readonly wake: Pick<Wake, 'wakeHere'>;
  readonly limits: Pick<Limits, 'queue_check_ms'>;
}

export function queueCheck(deps: QueueCheckDeps): Worker {
  return {
    // Bounds how long a build can wait beside a free Mac if a wake-up was lost.
    name: 'queue-look',
    periodMs: Math.max(SHORTEST_PERIOD_MS, deps.limits.queue_check_ms),
    run: async () => void deps.wake.wakeHere('scheduler'),
  };
}

export function buildWorkers(deps: BuildWorkersDeps): readonly Worker[] {
  const { limits, endedLogs } = deps;
  const fileAges = createFileAges(deps.realClock);
  return [
    {
      // The wake-up's hint is the id of the account whose queue or Macs have changed.
      name: 'scheduler',
      periodMs: 300_000,
      wakeOn: ['scheduler'],
      run: async (woken) => void (await assignWaiting(deps, [...woken].map(Number))),
    },
    { name: 'deadlines', wakeOn: ['running'], run: () => stopOverdue(deps) },
    {
      name: 'queue-expiry',
      periodMs: periodWithin(limits.build_queue_expiry_ms),
      run: () => expireQueued(deps),
    },
    {
      name: 'stall-watch',
      periodMs: periodWithin(Math.min(limits.stall_queued_ms, limits.stall_silence_ms)),
      run: createStallWatch(deps),
    },
    {
      name: 'usage-check',
      periodMs: DAY_MS,
      run: async () => void (await checkUsage(deps)),
    },
    {
      name: 'records-check',
      periodMs: DAY_MS,
      run: async () => void (await checkRecords(deps)),
    },
    {
      name: 'log-count',
      periodMs: DAY_MS,
      wakeOn: ['builds'],
      run: async () => void (await countEndedLogs(deps)),
    },
    ...(endedLogs === null ? [] : [endedLogsWorker({ ...deps, endedLogs })]),
    {
      name: 'artifact-retention',
      periodMs: periodWithin(deps.limits.artifact_kept_ms),
      run: async () => void (await deps.artifacts.expire()),
    },
    retentionWorker(deps, {
      name: 'log-retention',
      what: 'logs',
      sweep: createLogSweep(deps),
      keptMs: deps.limits.logs_kept_ms,
    }),
    retentionWorker(deps, {
      name: 'build-retention',
      what: 'builds',
      sweep: createBuildSweep(deps),
      keptMs: deps.limits.builds_kept_ms,
    }),
    // A recorded answer may still refer to the script of a deleted build.
    purge(deps, 'scripts', deps.limits.idempotency_ms, deleteUnusedScripts),
    {
      // A killed process leaves files without a row; a restored backup leaves rows without files.
      name: 'orphan-sweep',
      periodMs: DAY_MS,
      async run() {
        const before = fileAges.olderThan(deps.limits.orphan_files_ms);
        await sweepOrphans(deps, before);
        await deps.objects?.objects.dropUnfinished(before);
        await sweepOrphanLogs(deps, before);
        await forgetLost(deps);
        return null;
      },
    },
    ...(deps.objects === null ? [] : [objectCollection({ ...deps, ...deps.objects })]),
  ];
}

function objectCollection(deps: ObjectCollectionDeps & Pick<BuildWorkersDeps, 'limits'>): Worker {
  const known = knownKeys(deps.store);
  return {
    name: 'object-gc',
    periodMs: periodWithin(deps.limits.orphan_files_ms),
    wakeOn: ['garbage'],
    async run() {
      const { more, dueAt } = await collectObjects(deps, known);
      return more ? AGAIN : dueAt;
    },
  };
}

/** How long logs wait in the database at most once the object store answers again. */
const ENDED_LOGS_PERIOD_MS = 60_000;

const endedLogsWorker = (deps: EndedLogsDeps): Worker => ({
  name: 'ended-logs',
  periodMs: ENDED_LOGS_PERIOD_MS,
  wakeOn: ['builds'],
  run: async () => void (await moveEndedLogs(deps)),
});
