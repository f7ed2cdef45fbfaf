import { ApiError } from '../domain/error-catalog.js';
import type { Job } from '../domain/job.js';
import { findJob } from '../store/jobs.js';
import type { Store } from '../store/sql.js';

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
