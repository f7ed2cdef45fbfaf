// The builds' part of the composition: everything between the HTTP API, the link and the database that has to do
// with builds and the Macs they run on.
import type { Clock } from '../shared/clock.js';
import { createBuildLog } from './app/build-log.js';
import { createBuildLogLines } from './app/build-log-lines.js';
import { type BuildRunsDeps, createBuildRuns } from './app/build-runs.js';
import { createBuildSubmission, type SubmissionDeps } from './app/build-submission.js';
import { createBuildViewing } from './app/build-viewing.js';
import { createBuilds } from './app/builds.js';
import { createFailureReports } from './app/failure-reports.js';
import { createFailureScans } from './app/failure-scans.js';
import type { Hosts } from './app/hosts.js';
import { createKeyedLock } from './app/keyed-lock.js';
import { createMaintenance } from './app/maintenance.js';
import { macIsReady } from './app/provisioning.js';
import { createQueue } from './app/queue.js';
import { createRentals } from './app/rentals.js';
import { createReportedMacs } from './app/reported-macs.js';
import { createStatus } from './app/status.js';
import type { Stock } from './app/stock.js';
import { recallFromLostHost } from './app/stranded-macs.js';
import type { Transaction } from './store/sql.js';
import { createDeadlines } from './workers/deadlines.js';
import { createJobsWorker } from './workers/jobs.js';
import { createLostHosts } from './workers/lost-hosts.js';
import { createOpenEnds } from './workers/open-ends.js';
import { createQueueExpiry } from './workers/queue-expiry.js';
import { createRentalEndWorker } from './workers/rental-end.js';
import { createScheduler } from './workers/scheduler.js';
import { createStallWatch } from './workers/stall-watch.js';
import type { Worker } from './workers/worker.js';

/** `realClock` keeps time for what does not follow the test clock: long polls and network time limits. */
export type ComposeBuildsDeps = Omit<BuildRunsDeps, 'lock' | 'scans'> &
  SubmissionDeps & {
    readonly realClock: Clock;
    readonly stock: Stock;
    readonly hosts: Pick<Hosts, 'lost' | 'nextLossAt'>;
  };

export type BuildServices = ReturnType<typeof composeBuilds>;

/**
 * @example
 * const services = composeBuilds(deps);
 * const running = runWorkers({ workers: services.workers, wake, clock, log });
 */
export function composeBuilds(given: ComposeBuildsDeps) {
  const deps = {
    ...given,
    lock: createKeyedLock(),
    reportedMacs: createReportedMacs(),
    scans: createFailureScans(given.logs, given.limits.failure_scans),
    macReady: (tx: Transaction, rentalId: string) => macIsReady(tx, given, rentalId),
  };
  const queue = createQueue(deps);
  const runs = createBuildRuns(deps);
  const builds = createBuilds({ ...deps, queue });
  const logLines = createBuildLogLines(deps);
  const failureReports = createFailureReports({ ...deps, builds, logLines });
  const workers: readonly Worker[] = [
    createScheduler(deps),
    createDeadlines(deps),
    createQueueExpiry(deps),
    createStallWatch(deps),
    createRentalEndWorker(deps),
    createJobsWorker(deps),
    createLostHosts({
      ...{ hosts: deps.hosts, runs },
      recallMacs: (hostId) => recallFromLostHost(deps, hostId),
    }),
    createOpenEnds(deps),
  ];
  return {
    queue,
    runs,
    workers,
    reportedMacs: deps.reportedMacs,
    builds,
    failureReports,
    buildViewing: createBuildViewing({ ...deps, builds, failureReports, logLines }),
    submit: createBuildSubmission(deps),
    buildLog: createBuildLog(deps),
    logLines,
    rentals: createRentals(deps),
    maintenance: createMaintenance(deps),
    status: createStatus(deps),
  };
}
