// The body of POST /builds.

import { z } from 'zod';
import { MOST_CHANGES } from '../../../shared/manifest-base.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { LABEL, MOST_LABELS } from '../../hosts/domain/host-labels.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';
import { because } from '../../platform/http/issue-problem.js';
import type { FileChange } from '../../uploads/app/changed-upload.js';
import type { SubmitRequest } from '../app/build-submission.js';

/** Labels of hosts, as operators give them. */
const labels = z
  .record(z.string(), z.string())
  .refine(
    (all) =>
      Object.entries(all)
        .flat()
        .every((text) => LABEL.test(text)),
    because(fieldProblem('invalid_labels')),
  )
  .refine((all) => Object.keys(all).length <= MOST_LABELS, because(fieldProblem('too_many', { most: MOST_LABELS })));

export const priority = z.literal([0, 1]).meta({ description: '1 goes before 0' });

/** Bytes in base64 with its padding. */
const base64 = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').toString('base64') === text, because(fieldProblem('invalid_base64')));

/** A file of the upload that is built with another content. */
const change = z
  .object({ path: z.string(), content_base64: base64, mode: z.literal([0o644, 0o755]).optional() })
  .meta({ id: 'FileChange' });

export function requestShape(limits: Limits) {
  const { script_bytes: most } = limits;
  const script = z
    .string()
    .refine((text) => text.trim() !== '', because(fieldProblem('required')))
    .refine((text) => !text.includes('\0'), because(fieldProblem('nul_character')))
    .refine((text) => Buffer.byteLength(text) <= most, because(fieldProblem('too_many_bytes', { most })));
  return z
    .object({
      script: script.meta({ description: `Bash script; at most ${limits.script_bytes} bytes` }),
      upload_id: z.string().optional().meta({ title: 'Id of an upload that is ready' }),
      changes: z.array(change).max(MOST_CHANGES).optional().meta({ title: 'Files of the upload with other contents' }),
      repo: z.string().optional().meta({ description: '`owner/name` on the code host' }),
      repo_url: z.string().optional(),
      ref: z.string().optional().meta({ description: 'Branch or tag; beside `upload_id` a label' }),
      commit: z.string().optional().meta({ description: '7 to 40 hexadecimal digits; beside `upload_id` a label' }),
      pr: z.int().min(1).optional().meta({ title: 'Number of a pull request' }),
      xcode: z.string().optional().meta({ description: 'Only on a Mac with this version selected' }),
      labels: labels.optional().meta({ description: 'Only on a Mac with all of these labels' }),
      rental_id: z.string().optional().meta({ description: 'Only on this Mac' }),
      timeout_min: z
        .int()
        .min(1)
        .max(limits.build_timeout_min_max)
        .optional()
        .meta({ description: `Minutes; ${limits.build_timeout_min_default} by default` }),
      priority: priority.optional(),
      clean_tree: z.boolean().optional().meta({ description: 'Starts in an empty work folder' }),
      queue_until_rental: z.boolean().optional().meta({ description: 'Wait even without a Mac' }),
      notify_url: z.string().max(2048).optional().meta({ description: 'Public https; receives stall and end events' }),
    })
    .meta({
      id: 'BuildRequest',
      description: 'A script and exactly one source: upload_id, repo or repo_url',
    });
}

export function requestOf(body: z.infer<ReturnType<typeof requestShape>>): SubmitRequest {
  return {
    script: body.script,
    uploadId: body.upload_id ?? null,
    repo: body.repo ?? null,
    repoUrl: body.repo_url ?? null,
    ref: body.ref ?? null,
    commit: body.commit ?? null,
    pr: body.pr ?? null,
    xcode: body.xcode ?? null,
    labels: body.labels ?? {},
    rentalId: body.rental_id ?? null,
    timeoutMin: body.timeout_min ?? null,
    priority: body.priority ?? null,
    cleanTree: body.clean_tree ?? false,
    queueUntilRental: body.queue_until_rental ?? false,
    notifyUrl: body.notify_url ?? null,
    rerunOf: null,
  };
}

/** The files that differ from the upload. @throws ApiError invalid_build without an upload */
export function changesOf({ upload_id, changes }: z.infer<ReturnType<typeof requestShape>>): readonly FileChange[] {
  if (changes === undefined) return [];
  if (upload_id === undefined)
    throw fieldError('invalid_build', 'changes', fieldProblem('needs_other', { other: 'upload_id' }));
  return changes.map(({ path, content_base64, mode }) => ({
    path,
    content: Buffer.from(content_base64, 'base64'),
    mode,
  }));
}
