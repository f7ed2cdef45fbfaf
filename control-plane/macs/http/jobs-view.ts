import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { uncoded } from '../../../shared/messages/message.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { messageShape, messageView } from '../../platform/http/message-view.js';
import { time } from '../../platform/http/values.js';
import { type Job, type JobProgress, jobKinds, jobStatuses, whenChoices } from '../domain/job.js';

const LONGEST_MESSAGE = 600;

export const whenShape = enumeration(whenChoices, {
  id: 'When',
  about: 'What to do with a build that runs on the Mac',
  meanings: { after_build: 'wait for it to end', now: 'cancel it' },
});

const imageProgressShape = z
  .object({
    percent: z.number(),
    bytes: z.int().nullable().meta({ description: 'Transferred so far, compressed; null: unknown' }),
    total_bytes: z.int().nullable(),
  })
  .meta({ id: 'ImageProgress', title: 'The fetch of the image that a Mac is made from' });

export const progressShape = z
  .object({
    step: z.string().meta({
      description:
        '`image`, `create`, `xcode`, `runtimes`, `tools`, `empty_work`, `remove` or `done`; more may be added',
    }),
    percent: z.number().meta({ description: 'Of the whole change' }),
    image: imageProgressShape.nullable().meta({ description: 'In the step `image`' }),
  })
  .meta({ id: 'MacProgress' });

export function progressView({ step, percent, image }: JobProgress): z.infer<typeof progressShape> {
  return image ? { step: 'image', percent, image: { ...image } } : { step, percent, image: null };
}

export const jobShape = z
  .object({
    id: z.string(),
    job_id: z.string().meta({ description: 'The same as `id`' }),
    rental_id: z.string(),
    rental_name: z.string().meta({ title: 'What the account calls that Mac' }),
    kind: enumeration(jobKinds, {
      plain: true,
      meanings: {
        provision: 'the Mac is created for its rental',
        reset: 'it is recreated, or its work folder is emptied',
        xcode: 'another Xcode is selected',
        setup: 'Xcode, simulator runtimes or tools are changed',
      },
    }),
    status: enumeration(jobStatuses, {
      plain: true,
      meanings: {
        queued: 'waits for its turn or for a running build to end',
        running: 'the host is working on it',
        done: 'the Mac has the requested setup',
        failed: '`error` and `message` say why',
      },
    }),
    when: whenShape.nullable().meta({ description: 'Null if no build ran' }),
    error: z.string().nullable().meta({ description: 'Such as `reset_failed`' }),
    message: z.string().nullable(),
    reason: messageShape.nullable().meta({ description: '`message` as a code with values' }),
    progress: progressShape.nullable(),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .meta({ id: 'Job', title: 'A change of a rented Mac, carried out asynchronously' });

export function jobView(job: Job, macName: string): z.infer<typeof jobShape> {
  // Older messages were stored unsanitized.
  const message = job.message && cleanText(job.message, LONGEST_MESSAGE);
  return {
    id: job.jobId,
    job_id: job.jobId,
    rental_id: job.rentalId,
    rental_name: macName,
    kind: job.kind,
    status: job.status,
    when: job.when,
    error: job.error,
    message,
    reason: message === null ? null : messageView(job.reason?.code ? job.reason : uncoded(message)),
    progress: job.progress && progressView(job.progress),
    created_at: isoTime(job.createdAt),
    started_at: isoTime(job.startedAt),
    ended_at: isoTime(job.endedAt),
  };
}
