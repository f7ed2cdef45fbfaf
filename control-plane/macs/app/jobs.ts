// Reads jobs for the account that owns them, and advances them over time.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { failedWord, type Job } from '../domain/job.js';
import type { Mac } from '../domain/mac.js';
import { findJob, readJobsStartedBy, readStartableJobs, readStrandedJobs } from '../store/jobs.js';
import { readMacs } from '../store/macs.js';
import { failChange, failJob, type JobChangeDeps, jobReason, startJob, wakeForJob } from './job-changes.js';

import { namesOfMacs } from './mac-names.js';

export { findLastJob as lastJob } from '../store/jobs.js';

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs({ store }: { store: Store }) {
  return {
    /** Returns the job, and the name of its Mac. Throws job_not_found. */
    async get(accountId: number, jobId: string): Promise<{ readonly job: Job; readonly macName: string }> {
      const job = await findJob(store, accountId, jobId);
      if (!job) throw new ApiError('job_not_found');
      const macs = await namesOfMacs(store, [job.rentalId]);
      return { job, macName: macs.get(job.rentalId) ?? job.rentalId };
    },
  };
}

export interface AdvanceDeps extends JobChangeDeps {
  readonly store: Store;
  readonly limits: Pick<Limits, 'job_give_up_ms'>;
}

/**
 * Starts every job whose Mac has become idle, and fails those whose rental has ended or whose host takes too long.
 *
 * @returns when the next job times out, or null
 */
export async function advanceJobs(deps: AdvanceDeps): Promise<number | null> {
  const { store, clock, limits } = deps;
  const withMac = (job: Job, work: (tx: Transaction, mac: Mac) => Promise<unknown>) =>
    store.transaction(async (tx) => {
      const macs = await readMacs(tx, job.accountId);
      const mac = macs.find(({ rentalId }) => rentalId === job.rentalId);
      if (mac?.openJob?.jobId === job.jobId) await work(tx, mac);
    });

  for (const job of await readStartableJobs(store)) {
    await withMac(job, (tx, mac) => startJob(tx, deps, mac, job));
  }
  for (const job of await readStrandedJobs(store)) {
    await store.transaction((tx) => failJob(tx, deps, job, 'rental_ended', jobReason('rental_ended')));
  }
  const lasts = limits.job_give_up_ms;
  const { overdue, nextStartedAt } = await readJobsStartedBy(store, clock.now() - lasts);
  for (const job of overdue) {
    const failure = { error: failedWord(job.kind), reason: jobReason('host_timeout'), mac: 'anew' } as const;
    await withMac(job, async (tx, mac) => {
      await failChange(tx, deps, mac, failure);
      wakeForJob(tx, deps.wake, mac);
    });
  }
  return nextStartedAt === null ? null : nextStartedAt + lasts;
}
