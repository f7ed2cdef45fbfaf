// A job: asynchronous work on a Mac (provision, reset, Xcode, setup), and its status transitions.

import { z } from 'zod';
import type { jobFailures } from '../../../shared/messages/job-failures.js';
import { imageProgress } from '../../../shared/protocol/index.js';
import { int, json, type RecordOf, text } from '../../platform/domain/fields.js';
import { storedMessage } from '../../platform/domain/stored-message.js';

export const jobKinds = ['provision', 'reset', 'xcode', 'setup'] as const;
export type JobKind = (typeof jobKinds)[number];

export const jobStatuses = ['queued', 'running', 'done', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** start: its Mac's desired state changes. fail: also for a queued job when its rental ends. */
export const jobEvents = ['start', 'finish', 'fail'] as const;
export type JobEvent = (typeof jobEvents)[number];

const nowhere: Readonly<Record<JobEvent, null>> = { start: null, finish: null, fail: null };

/** The status that each event leads to from each status; null: not allowed. */
export const jobTransitions: Readonly<Record<JobStatus, Readonly<Record<JobEvent, JobStatus | null>>>> = {
  queued: { ...nowhere, start: 'running', fail: 'failed' },
  running: { ...nowhere, finish: 'done', fail: 'failed' },
  done: nowhere,
  failed: nowhere,
};

export const whenChoices = ['after_build', 'now'] as const;
/** What to do with a build that runs on the Mac: wait for it, or cancel it. */
export type When = (typeof whenChoices)[number];

/** The target of a job. Absent fields stay unchanged. */
export const jobTarget = z.object({
  /** False recreates the Mac; a reset with true only empties the work folder. */
  keepCache: z.boolean().default(true),
  xcode: z.string().exactOptional(),
  runtimes: z.array(z.string()).readonly().exactOptional(),
  tools: z.array(z.string()).readonly().exactOptional(),
});
export type JobTarget = Readonly<z.infer<typeof jobTarget>>;

export const jobProgress = z.object({
  step: z.string(),
  percent: z.number(),
  /** The fetch of the Mac's image, while there is one. */
  image: imageProgress.nullable().optional(),
});
export type JobProgress = Readonly<z.infer<typeof jobProgress>>;

/** The error word of a failed job. */
export type JobError = keyof typeof jobFailures;

/** Error words of a job that failed on its host. */
export const failedWord = (kind: JobKind) => `${kind}_failed` as const;

/** Times in ms since the epoch. */
export const jobFields = {
  jobId: text(),
  accountId: int(),
  rentalId: text(),
  kind: text<JobKind>(),
  status: text<JobStatus>(),
  /** Null if no build ran when it was requested. */
  when: text<When>().orNull,
  target: json(jobTarget.parse),
  /** The Mac's revision that completes the job; null until it starts. */
  revision: int().orNull,
  error: text<JobError>().orNull.initially(null),
  message: text().orNull.initially(null),
  /** `message` as a code with values; null in rows of older versions, too. */
  reason: storedMessage().orNull.initially(null),
  progress: json(jobProgress.parse).orNull.initially(null),
  createdAt: int(),
  startedAt: int().orNull.initially(null),
  endedAt: int().orNull.initially(null),
};
export type Job = RecordOf<typeof jobFields>;
