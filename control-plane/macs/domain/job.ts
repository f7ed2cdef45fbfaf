// A job: work on a Mac that takes its time (provision, reset, Xcode, setup), and from which status it may go to which.

import { z } from 'zod';
import { int, json, type RecordOf, text } from '../../platform/domain/fields.js';

export const jobKinds = ['provision', 'reset', 'xcode', 'setup'] as const;
export type JobKind = (typeof jobKinds)[number];

export const jobStatuses = ['queued', 'running', 'done', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** start: its Mac's host is told. fail: also a job that was never started, when its rental ends. */
export const jobEvents = ['start', 'finish', 'fail'] as const;
export type JobEvent = (typeof jobEvents)[number];

const nowhere: Readonly<Record<JobEvent, null>> = { start: null, finish: null, fail: null };

/** Where each event leads from each status; null: it cannot happen there. */
export const jobTransitions: Readonly<Record<JobStatus, Readonly<Record<JobEvent, JobStatus | null>>>> = {
  queued: { ...nowhere, start: 'running', fail: 'failed' },
  running: { ...nowhere, finish: 'done', fail: 'failed' },
  done: nowhere,
  failed: nowhere,
};

export const whenChoices = ['after_build', 'now'] as const;
/** What becomes of a build that runs on the Mac: it is waited for, or cancelled. */
export type When = (typeof whenChoices)[number];

/** What a job is to bring about. What is absent stays as it is. */
export const jobTarget = z.object({
  /** False makes the Mac anew; a reset with true only empties the work folder. */
  keepCache: z.boolean().default(true),
  xcode: z.string().exactOptional(),
  runtimes: z.array(z.string()).readonly().exactOptional(),
  tools: z.array(z.string()).readonly().exactOptional(),
});
export type JobTarget = Readonly<z.infer<typeof jobTarget>>;

export const jobProgress = z.object({ step: z.string(), percent: z.number() });
export type JobProgress = Readonly<z.infer<typeof jobProgress>>;

/** What a failed job says, in one word. */
export const jobErrors = [
  'provision_failed',
  'reset_failed',
  'xcode_failed',
  'setup_failed',
  'xcode_not_available',
  'rental_ended',
] as const;
export type JobError = (typeof jobErrors)[number];

/** Of a job that its host could not bring to its end. */
export const failedWord = (kind: JobKind) => `${kind}_failed` as const;

/** Times in ms since the epoch. */
export const jobFields = {
  jobId: text(),
  accountId: int(),
  rentalId: text(),
  kind: text<JobKind>(),
  status: text<JobStatus>(),
  /** Null: no build ran when it was asked for. */
  when: text<When>().orNull,
  target: json(jobTarget.parse),
  /** The rental's revision that the job brings about; null until it starts. */
  revision: int().orNull,
  error: text<JobError>().orNull.initially(null),
  message: text().orNull.initially(null),
  progress: json(jobProgress.parse).orNull.initially(null),
  createdAt: int(),
  startedAt: int().orNull.initially(null),
  endedAt: int().orNull.initially(null),
};
export type Job = RecordOf<typeof jobFields>;
