// Jobs on Macs.
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Job, type JobEvent, type JobProgress, type JobTarget, jobFields, jobTransitions } from '../domain/job.js';

export const jobs = table('jobs', jobFields);

/** Returns null if the account has no such job. */
export function findJob(q: Queries, accountId: number, jobId: string): Promise<Job | null> {
  return jobs.get(q, 'WHERE job_id = :jobId AND account_id = :accountId', { accountId, jobId });
}

/** Returns the newest job of a rental, including ended ones. */
export function findLastJob(q: Queries, rentalId: string): Promise<Job | null> {
  return jobs.get(q, 'WHERE rental_id = :rentalId ORDER BY created_at DESC, job_id DESC LIMIT 1', {
    rentalId,
  });
}

/** Returns jobs of a rental accepted after `since` that have not failed, newest first. */
export function readJobsSince(q: Queries, rentalId: string, since: number): Promise<Job[]> {
  return jobs.all(
    q,
    `WHERE rental_id = :rentalId AND created_at > :since AND status <> 'failed' ORDER BY created_at DESC`,
    { rentalId, since },
  );
}

// Lets the query planner use the partial index of open jobs.
const OPEN = `jobs.status IN ('queued', 'running')`;

/** Returns queued jobs whose Mac is ready for them, oldest first. */
export function readStartableJobs(q: Queries): Promise<Job[]> {
  return jobs.all(
    q,
    `JOIN macs m ON m.rental_id = jobs.rental_id WHERE jobs.status = 'queued' AND ${OPEN}
       AND jobs.kind <> 'provision' AND m.state = 'ready' ORDER BY jobs.created_at`,
  );
}

/** Returns running jobs started at `since` or before, and when the next of the others was started. */
export async function readJobsStartedBy(
  q: Queries,
  since: number,
): Promise<{ overdue: Job[]; nextStartedAt: number | null }> {
  const running = await jobs.all(q, `WHERE status = 'running' AND ${OPEN} AND kind <> 'provision' ORDER BY started_at`);
  const isOverdue = (job: Job) => (job.startedAt ?? 0) <= since;
  return {
    overdue: running.filter(isOverdue),
    nextStartedAt: running.find((job) => !isOverdue(job))?.startedAt ?? null,
  };
}

/** Returns open jobs of removed Macs. Not a join, which would begin with all Macs. */
export function readStrandedJobs(q: Queries): Promise<Job[]> {
  return jobs.all(
    q,
    `WHERE ${OPEN} AND EXISTS (SELECT 1 FROM macs m WHERE m.rental_id = jobs.rental_id AND m.state = 'ended')
     ORDER BY created_at`,
  );
}

/** Records the progress of a running job. Returns false if it has not changed. */
export async function recordProgress(
  tx: Transaction,
  jobId: string,
  { step, percent, image }: JobProgress,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE jobs SET progress = :progress
     WHERE job_id = :jobId AND status = 'running' AND COALESCE(progress, '') <> :progress`,
    { jobId, progress: JSON.stringify({ step, percent, ...(image ? { image } : {}) }) },
  );
  return changes === 1;
}

export interface NewJob {
  readonly jobId: string;
  readonly accountId: number;
  readonly rentalId: string;
  readonly kind: Job['kind'];
  /** running: its Mac's desired state changes in the same transaction. */
  readonly status: Extract<Job['status'], 'queued' | 'running'>;
  readonly when: Job['when'];
  readonly target: JobTarget;
  /** Of a running job: the Mac's revision that completes it. */
  readonly revision: number | null;
  readonly now: number;
}

/**
 * @example
 * // A new rental's Mac is being created; the job is done when the host first reports it ready.
 * await insertJob(tx, { jobId: newId('op'), accountId, rentalId, kind: 'provision', status: 'running', when: null,
 *   target: { keepCache: false }, revision: 1, now });
 */
export function insertJob(tx: Transaction, { now, ...job }: NewJob): Promise<Job> {
  const startedAt = job.status === 'running' ? now : null;
  return jobs.insert(tx, { ...job, createdAt: now, startedAt });
}

/** Deletes ended jobs, except the last job of a Mac that still exists, which is shown with the Mac. */
export const purgeJobs = purgeOf('jobs', {
  key: 'job_id',
  expired: `ended_at <= :before AND (
    EXISTS (SELECT 1 FROM jobs n WHERE n.rental_id = jobs.rental_id AND n.created_at > jobs.created_at)
    OR EXISTS (SELECT 1 FROM macs m WHERE m.rental_id = jobs.rental_id AND m.state = 'ended'))`,
  by: 'ended_at',
});

export type JobChanges = Partial<Pick<Job, 'revision' | 'error' | 'message' | 'startedAt' | 'endedAt' | 'progress'>>;

/** Applies `event` to a job in the status that was read. Returns null if the transition is no longer possible. */
export async function changeJob(
  tx: Transaction,
  seen: Pick<Job, 'jobId' | 'status'>,
  event: JobEvent,
  changes: JobChanges,
): Promise<Job | null> {
  const to = jobTransitions[seen.status][event];
  if (to === null) return null;
  return jobs.change(tx, { jobId: seen.jobId, status: seen.status }, { ...changes, status: to });
}
