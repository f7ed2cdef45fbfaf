import type { Job } from '../domain/job.js';
import type { Queries } from './sql.js';

interface Row {
  job_id: string;
  account_id: number;
  rental_id: string;
  kind: Job['kind'];
  status: Job['status'];
  when_: Job['when'];
  error: string | null;
  message: string | null;
  progress: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

const fromRow = (row: Row): Job => ({
  jobId: row.job_id,
  accountId: row.account_id,
  rentalId: row.rental_id,
  kind: row.kind,
  status: row.status,
  when: row.when_,
  error: row.error,
  message: row.message,
  progress: readProgress(row.progress),
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

function readProgress(column: string | null): Job['progress'] {
  if (column === null) return null;
  const value: unknown = JSON.parse(column);
  if (typeof value !== 'object' || value === null) return null;
  return {
    step: String(Reflect.get(value, 'step') ?? ''),
    percent: Number(Reflect.get(value, 'percent') ?? 0),
  };
}

/** Null: no such job in this account. */
export async function findJob(db: Queries, accountId: number, jobId: string): Promise<Job | null> {
  const row = await db.get<Row>('SELECT * FROM jobs WHERE job_id = :jobId AND account_id = :accountId', {
    accountId,
    jobId,
  });
  return row ? fromRow(row) : null;
}
