import type { JobChangeDeps } from '../app/job-changes.js';
import { advanceJobs } from '../app/jobs.js';
import type { Store } from '../store/sql.js';
import { LONGEST_PERIOD_MS, type Worker } from './worker.js';

/** Starts jobs that wait for a build to end, when it has. */
export function createJobsWorker(deps: JobChangeDeps & { store: Store }): Worker {
  return {
    name: 'jobs',
    periodMs: LONGEST_PERIOD_MS,
    // builds: a Mac may have become idle, or a rental may have ended.
    wakeOn: ['jobs', 'builds', 'host'],
    async run() {
      await advanceJobs(deps);
      return null;
    },
  };
}
