// Jobs on Macs.
import { newId } from '../../platform/domain/ids.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import {
  type Job,
  type JobEvent,
  type JobProgress,
  type JobTarget,
  jobProgress,
  jobTarget,
  jobTransitions,
} from '../domain/job.js';

interface Row {
  job_id: string;
  account_id: number;
  rental_id: string;
  kind: Job['kind'];
  status: Job['status'];
  when: Job['when'];
  target: string;
  revision: number | null;
  error: Job['error'];
  message: string | null;
  progress: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

/** What a job is to bring about, as its column holds it. */
export const readTarget = (column: string): JobTarget => jobTarget.parse(JSON.parse(column));

export const readProgress = (column: string | null): Job['progress'] =>
  column === null ? null : jobProgress.parse(JSON.parse(column));

const fromRow = (row: Row): Job => ({
  jobId: row.job_id,
  accountId: row.account_id,
  rentalId: row.rental_id,
  kind: row.kind,
  status: row.status,
  when: row.when,
  target: readTarget(row.target),
  revision: row.revision,
  error: row.error,
  message: row.message,
  progress: readProgress(row.progress),
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

/** Null: no such job in this account. */
export async function findJob(q: Queries, accountId: number, jobId: string): Promise<Job | null> {
  const row = await q.get<Row>('SELECT * FROM jobs WHERE job_id = :jobId AND account_id = :accountId', {
    accountId,
    jobId,
  });
  return row ? fromRow(row) : null;
}

/** The newest job of a rental, also one that has ended. */
export async function findLastJob(q: Queries, rentalId: string): Promise<Job | null> {
  const row = await q.get<Row>(
    'SELECT * FROM jobs WHERE rental_id = :rentalId ORDER BY created_at DESC, job_id DESC LIMIT 1',
    { rentalId },
  );
  return row ? fromRow(row) : null;
}

/** Jobs of a rental that were accepted after `since` and have not failed, newest first. */
export async function readJobsSince(q: Queries, rentalId: string, since: number): Promise<Job[]> {
  const rows = await q.all<Row>(
    `SELECT * FROM jobs WHERE rental_id = :rentalId AND created_at > :since AND status <> 'failed'
     ORDER BY created_at DESC`,
    { rentalId, since },
  );
  return rows.map(fromRow);
}

// Says to the planner that the index of open jobs is enough.
const OPEN = `j.status IN ('queued', 'running')`;

/** Queued jobs whose Mac is ready for them now, oldest first. */
export async function readStartableJobs(q: Queries): Promise<Job[]> {
  const rows = await q.all<Row>(
    `SELECT j.* FROM jobs j JOIN macs m ON m.rental_id = j.rental_id
     WHERE j.status = 'queued' AND ${OPEN} AND j.kind <> 'provision' AND m.state = 'ready' ORDER BY j.created_at`,
  );
  return rows.map(fromRow);
}

/** Running jobs that were started at `since` or before, and when the next of the others was started. */
export async function readJobsStartedBy(
  q: Queries,
  since: number,
): Promise<{ overdue: Job[]; nextStartedAt: number | null }> {
  const rows = await q.all<Row>(
    `SELECT j.* FROM jobs j WHERE j.status = 'running' AND ${OPEN} AND j.kind <> 'provision' ORDER BY j.started_at`,
  );
  const jobs = rows.map(fromRow);
  const isOverdue = (job: Job) => (job.startedAt ?? 0) <= since;
  return {
    overdue: jobs.filter(isOverdue),
    nextStartedAt: jobs.find((job) => !isOverdue(job))?.startedAt ?? null,
  };
}

/** Open jobs of Macs that are gone. */
export async function readStrandedJobs(q: Queries): Promise<Job[]> {
  const rows = await q.all<Row>(
    `SELECT j.* FROM jobs j JOIN macs m ON m.rental_id = j.rental_id
     WHERE ${OPEN} AND m.state = 'ended' ORDER BY j.created_at`,
  );
  return rows.map(fromRow);
}

/** How far a running job has come; false when that is no news. */
export async function recordProgress(
  tx: Transaction,
  jobId: string,
  progress: JobProgress,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE jobs SET progress = :progress
     WHERE job_id = :jobId AND status = 'running' AND COALESCE(progress, '') <> :progress`,
    { jobId, progress: JSON.stringify({ step: progress.step, percent: progress.percent }) },
  );
  return changes === 1;
}

export interface NewJob {
  readonly accountId: number;
  readonly rentalId: string;
  readonly kind: Job['kind'];
  /** running: its Mac's host is told in the same transaction. */
  readonly status: Extract<Job['status'], 'queued' | 'running'>;
  readonly when: Job['when'];
  readonly target: JobTarget;
  /** Of a running job: the rental's revision that it brings about. */
  readonly revision: number | null;
  readonly now: number;
}

/**
 * @example
 * // A new rental's Mac is being made; the job is done when the host first has it ready.
 * await insertJob(tx, { accountId, rentalId, kind: 'provision', status: 'running', when: null,
 *   target: { keepCache: false }, revision: 1, now });
 */
export async function insertJob(tx: Transaction, job: NewJob): Promise<Job> {
  const row = await tx.get<Row>(
    `INSERT INTO jobs (job_id, account_id, rental_id, kind, status, "when", target, revision, created_at, started_at)
     VALUES (:jobId, :accountId, :rentalId, :kind, :status, :when, :target, :revision, :now, :startedAt)
     RETURNING *`,
    {
      ...job,
      jobId: newId('op'),
      target: JSON.stringify(job.target),
      startedAt: job.status === 'running' ? job.now : null,
    },
  );
  if (!row) throw new Error('a job that was inserted was not returned');
  return fromRow(row);
}

const CHANGE_COLUMNS = {
  revision: 'revision',
  error: 'error',
  message: 'message',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  progress: 'progress',
} as const;
export type JobChanges = Partial<Pick<Job, keyof typeof CHANGE_COLUMNS>>;

/** Takes a job from the status in which it was seen to where `event` leads; null when it cannot go there any more. */
export async function changeJob(
  tx: Transaction,
  seen: Pick<Job, 'jobId' | 'status'>,
  event: JobEvent,
  changes: JobChanges,
): Promise<Job | null> {
  const to = jobTransitions[seen.status][event];
  if (to === null) return null;
  const params: Record<string, SqlValue> = { jobId: seen.jobId, from: seen.status, to };
  let set = '';
  for (const name of Object.keys(changes) as (keyof JobChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    const value = changes[name] ?? null;
    params[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  }
  const row = await tx.get<Row>(
    `UPDATE jobs SET status = :to${set} WHERE job_id = :jobId AND status = :from RETURNING *`,
    params,
  );
  return row ? fromRow(row) : null;
}
