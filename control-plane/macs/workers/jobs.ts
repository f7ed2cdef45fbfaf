import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { type AdvanceDeps, advanceJobs } from '../app/jobs.js';

/** Starts jobs that wait for a build to end when it has, and ends those that nothing can bring to an end. */
export function createJobsWorker(deps: AdvanceDeps): Worker {
  return {
    name: 'jobs',
    periodMs: LONGEST_PERIOD_MS,
    // builds: a Mac may have become idle, or a rental may have ended.
    wakeOn: ['jobs', 'builds', 'host'],
    run: () => advanceJobs(deps),
  };
}
