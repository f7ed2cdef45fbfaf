// A build as its owner sees it: GET /builds/{id} and wherever else builds are listed.
import { z } from 'zod';
import { buildStep } from '../../../../shared/build.js';
import type { Submitted } from '../../../app/build-submission.js';
import type { BuildPage } from '../../../app/builds.js';
import type { PlacedBuild } from '../../../app/queue.js';
import { buildLogUrl, type SiteAddresses } from '../../../domain/addresses.js';
import { type BuildFailure, buildStatuses, endReasons, waitReasons } from '../../../domain/build.js';
import { commitStates } from '../../../domain/commit-state.js';

const time = z.string().nullable();
const fault = z.enum(['customer', 'platform', 'unknown']);

export const failureShape = z
  .object({
    category: fault,
    fault,
    step: buildStep,
    summary: z.string().max(600),
    log_url: z.string(),
    reason_code: z.string(),
    suggestion: z.string(),
    log_excerpt_lines: z.array(z.int().min(1)).nullable(),
    location: z.object({ file: z.string(), line: z.int(), message: z.string() }).nullable(),
  })
  .meta({ id: 'BuildFailure' });

const fields = {
  id: z.string(),
  status: z.enum(buildStatuses),
  state: z.enum(buildStatuses),
  repo: z.string().nullable(),
  repo_url: z.string().nullable(),
  ref: z.string().nullable(),
  pr: z.int().min(1).nullable(),
  commit: z.string().nullable(),
  commit_sha: z.string().nullable(),
  upload_id: z.string().nullable(),
  script: z.string(),
  xcode: z.string().nullable(),
  rental_public_id: z.string().nullable(),
  pinned_rental_id: z.string().nullable(),
  timeout_min: z.int(),
  priority: z.int(),
  clean_tree: z.boolean(),
  queue_until_rental: z.boolean(),
  attempt: z.int().min(1),
  exit_code: z.int().nullable(),
  end_reason: z.enum(endReasons).nullable(),
  wait_reason: z.enum(waitReasons).nullable(),
  queue_position: z.int().min(1).nullable(),
  fifo_position: z.int().min(0),
  estimated_wait_s: z.number().nullable(),
  estimated_start_at: time,
  stop_requested_at: time,
  timings: z.object({
    created_at: z.string(),
    started_at: time,
    ended_at: time,
    queue_s: z.int().min(0),
    run_s: z.number().nullable(),
  }),
  warnings: z.array(z.string()),
  failure: failureShape.nullable(),
  commit_status: z
    .object({ state: z.enum(commitStates).nullable(), error: z.string().nullable() })
    .nullable()
    .meta({
      description: 'What the code host has been told about the commit, and why it could not be told more',
    }),
};

export const buildShape = z.object(fields).meta({ id: 'Build' });
export type BuildView = z.infer<typeof buildShape>;

export const submittedShape = z
  .object({ ...fields, notify: z.object({ url: z.string(), secret: z.string() }).optional() })
  .meta({ id: 'SubmittedBuild' });

export const buildPageShape = z
  .object({ builds: z.array(buildShape), next_before: z.string().nullable() })
  .meta({ id: 'BuildPage' });

/** What a view needs beside what it shows. */
export interface ViewContext {
  /** Ms since the epoch. */
  readonly now: number;
  readonly site: SiteAddresses;
}

export const isoTime = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const wholeSeconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));

export function buildView({ build, place }: PlacedBuild, { now, site }: ViewContext): BuildView {
  const { startedAt, endedAt } = build;
  const start = place?.estimatedStartAt ?? null;
  return {
    id: build.buildId,
    status: build.status,
    state: build.status,
    repo: build.repo,
    repo_url: build.repoUrl,
    ref: build.ref,
    pr: build.pr,
    commit: build.commit,
    commit_sha: build.commit,
    upload_id: build.uploadId,
    script: build.script,
    xcode: build.xcode,
    rental_public_id: build.rentalId,
    pinned_rental_id: build.pinnedRentalId,
    timeout_min: build.timeoutMin,
    priority: build.priority,
    clean_tree: build.cleanTree,
    queue_until_rental: build.queueUntilRental,
    attempt: build.attempt,
    exit_code: build.exitCode,
    end_reason: build.endReason,
    wait_reason: place?.waitReason ?? null,
    queue_position: place?.queuePosition ?? null,
    fifo_position: place?.fifoPosition ?? 0,
    estimated_wait_s: start === null ? null : Math.max(0, Math.ceil((start - now) / 1000)),
    estimated_start_at: isoTime(start),
    stop_requested_at: isoTime(build.stopRequestedAt),
    timings: {
      created_at: new Date(build.createdAt).toISOString(),
      started_at: isoTime(startedAt),
      ended_at: isoTime(endedAt),
      queue_s: wholeSeconds((startedAt ?? endedAt ?? now) - build.createdAt),
      run_s: startedAt === null ? null : runSeconds(startedAt, endedAt, now),
    },
    warnings: [...build.warnings],
    failure: build.failure && failureView(build.failure, buildLogUrl(site, build.buildId)),
    commit_status: build.commitStatus,
  };
}

/** Whole while the build runs, exact when it has ended. */
function runSeconds(startedAt: number, endedAt: number | null, now: number): number {
  return endedAt === null ? wholeSeconds(now - startedAt) : Math.max(0, endedAt - startedAt) / 1000;
}

function failureView(failure: BuildFailure, logUrl: string): z.infer<typeof failureShape> {
  return {
    category: failure.fault,
    fault: failure.fault,
    step: failure.step,
    summary: failure.summary,
    log_url: logUrl,
    reason_code: failure.reasonCode,
    suggestion: failure.suggestion,
    log_excerpt_lines: failure.logExcerptLines && [...failure.logExcerptLines],
    location: failure.location,
  };
}

export function submittedView(submitted: Submitted, context: ViewContext): z.infer<typeof submittedShape> {
  const { notify } = submitted;
  const view = buildView(submitted, context);
  return notify ? { ...view, notify } : view;
}

export function buildPageView(page: BuildPage, context: ViewContext): z.infer<typeof buildPageShape> {
  return { builds: page.builds.map((build) => buildView(build, context)), next_before: page.nextBefore };
}
