import { z } from 'zod';
import { type Job, jobKinds, jobStatuses } from '../../../domain/job.js';

export const jobShape = z
  .object({
    id: z.string(),
    job_id: z.string(),
    rental_id: z.string(),
    kind: z.enum(jobKinds),
    status: z.enum(jobStatuses),
    when: z.enum(['after_build', 'now']).nullable(),
    error: z.string().nullable(),
    message: z.string().nullable(),
    progress: z.object({ step: z.string(), percent: z.number() }).nullable(),
    created_at: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'Job' });

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

export function jobView(job: Job): z.infer<typeof jobShape> {
  return {
    id: job.jobId,
    job_id: job.jobId,
    rental_id: job.rentalId,
    kind: job.kind,
    status: job.status,
    when: job.when,
    error: job.error,
    message: job.message,
    progress: job.progress && { ...job.progress },
    created_at: new Date(job.createdAt).toISOString(),
    started_at: time(job.startedAt),
    ended_at: time(job.endedAt),
  };
}
