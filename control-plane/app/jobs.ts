// Jobs as their owner sees them, and what makes them go on by themselves.
import { ApiError } from '../domain/error-catalog.js';
import type { Job } from '../domain/job.js';
import { findJob, readStartableJobs, readStrandedJobs } from '../store/jobs.js';
import { readMacs } from '../store/rentals.js';
import type { Store } from '../store/sql.js';
import { failJob, type JobChangeDeps, RENTAL_ENDED, startJob } from './job-changes.js';

export interface Jobs {
  /** Throws job_not_found. */
  get(accountId: number, jobId: string): Promise<Job>;
}

export function createJobs({ store }: { store: Store }): Jobs {
  return {
    async get(accountId, jobId) {
      const job = await findJob(store, accountId, jobId);
      if (!job) throw new ApiError('job_not_found');
      return job;
    },
  };
}

/** Starts every job whose Mac has become idle, and ends those whose rental is over. */
export async function advanceJobs(deps: JobChangeDeps & { store: Store }): Promise<void> {
  const { store } = deps;
  for (const job of await readStartableJobs(store)) {
    await store.transaction(async (tx) => {
      const macs = await readMacs(tx, job.accountId);
      const mac = macs.find(({ rentalId }) => rentalId === job.rentalId);
      if (mac) await startJob(tx, deps, mac, job);
    });
  }
  for (const job of await readStrandedJobs(store)) {
    await store.transaction((tx) => failJob(tx, deps, job, 'rental_ended', RENTAL_ENDED));
  }
}
