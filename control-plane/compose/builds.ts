// The builds' part of the composition: everything between the HTTP API, the link and the database that has to do
// with builds and the Macs they run on.
import type { Clock } from '../../shared/clock.js';
import { createBuildLog } from '../builds/app/build-log.js';
import { createBuildLogLines } from '../builds/app/build-log-lines.js';
import { type BuildRunsDeps, createBuildRuns } from '../builds/app/build-runs.js';
import { createBuildSubmission, type SubmissionDeps } from '../builds/app/build-submission.js';
import { createBuildViewing } from '../builds/app/build-viewing.js';
import { createBuilds } from '../builds/app/builds.js';
import { endBuildOfLostMac, stopBuildForChange } from '../builds/app/builds-of-macs.js';
import { createFailureReports } from '../builds/app/failure-reports.js';
import { createFailureScans } from '../builds/app/failure-scans.js';
import { createQueue } from '../builds/app/queue.js';
import { createDeadlines } from '../builds/workers/deadlines.js';
import { createLostHosts } from '../builds/workers/lost-hosts.js';
import { createOpenEnds } from '../builds/workers/open-ends.js';
import { createQueueExpiry } from '../builds/workers/queue-expiry.js';
import { createScheduler } from '../builds/workers/scheduler.js';
import { createStallWatch } from '../builds/workers/stall-watch.js';
import type { Hosts } from '../hosts/app/hosts.js';
import { createMaintenance } from '../macs/app/maintenance.js';
import { createRentals } from '../macs/app/rentals.js';
import { createReportedMacs } from '../macs/app/reported-macs.js';
import { createJobsWorker } from '../macs/workers/jobs.js';
import { createKeyedLock } from '../platform/app/keyed-lock.js';
import type { Transaction } from '../platform/store/sql.js';
import type { Worker } from '../platform/workers/worker.js';
import { macIsReady } from '../renting/app/provisioning.js';
import type { Stock } from '../renting/app/stock.js';
import { recallFromLostHost } from '../renting/app/stranded-macs.js';
import { createRentalEndWorker } from '../renting/workers/rental-end.js';
import { createStatus } from '../start/app/status.js';

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
  const lock = createKeyedLock();
  const deps = {
    ...given,
    lock,
    reportedMacs: createReportedMacs(),
    scans: createFailureScans(given.logs, given.limits.failure_scans),
    macReady: (tx: Transaction, rentalId: string) => macIsReady(tx, given, rentalId),
    buildLost: (rentalId: string, buildId: string) =>
      endBuildOfLostMac({ ...given, lock }, rentalId, buildId),
    stopBuild: (tx: Transaction, buildId: string, warning: string) =>
      stopBuildForChange(tx, given, buildId, warning),
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
