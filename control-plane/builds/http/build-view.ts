// The JSON of a build: GET /builds/{id} and all lists of builds.

import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { buildWarnings, firstWarnings } from '../../../shared/messages/build-warnings.js';
import { type Message, uncoded, withTexts } from '../../../shared/messages/message.js';
import { buildLogUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { errorShapes, errorView, messageShape, messageView } from '../../platform/http/message-view.js';
import { time as moment, nextBefore } from '../../platform/http/values.js';
import type { Submitted } from '../app/build-submission.js';
import type { BuildPage, WholeBuild } from '../app/builds.js';
import type { PlacedBuild } from '../app/queue.js';
import { type Build, type BuildFailure, commitErrorOf, EXCERPT_CHARS } from '../domain/build.js';
import { buildStatus, endReason, estimateBasis, failureFault, failureStep, waitReason } from '../domain/build-words.js';
import { commitStates } from '../domain/commit-state.js';
import { silentSeconds } from '../domain/stall.js';

const time = moment.nullable();

export const failureShape = z
  .object({
    category: failureFault.meta({ description: 'The same as `fault`' }),
    fault: failureFault,
    step: failureStep,
    summary: z.string().max(600).meta({
      description: 'The cause, in the words of the log. A sentence or two; not a text of the service.',
    }),
    summary_message: messageShape.meta({
      title: '`summary` as a code with values, without the location',
    }),
    log_url: z.string(),
    reason_code: z.string().meta({ description: 'Such as `compile_error`; more may come' }),
    suggestion: z.string().meta({ title: 'What to do next' }),
    suggestion_message: messageShape.meta({ title: '`suggestion` as a code' }),
    log_excerpt_lines: z
      .array(z.int().min(1))
      .nullable()
      .meta({ description: 'First and last line that show the cause. Counted from 1, both inclusive.' }),
    location: z
      .object({
        file: z.string().meta({ title: 'Relative to the work folder' }),
        line: z.int(),
        message: z.string(),
      })
      .nullable()
      .meta({ title: 'Where in the source the cause is' }),
  })
  .meta({ id: 'BuildFailure', title: 'Why a build failed, according to its log' });

/** Keys and values that an operator gave a Mac's host. */
export const labelsShape = z.record(z.string(), z.string());

const fields = {
  id: z.string(),
  status: buildStatus,
  state: buildStatus.meta({ description: 'The same as `status`' }),
  repo: z.string().nullable().meta({ description: '`owner/name` on the code host' }),
  repo_url: z.string().nullable(),
  ref: z.string().nullable(),
  pr: z.int().min(1).nullable(),
  commit: z.string().nullable().meta({ description: 'As requested; may be abbreviated' }),
  commit_sha: z.string().nullable().meta({
    description: 'The commit that was checked out. Null before that, and for an upload.',
  }),
  commit_title: z.string().nullable().meta({
    description:
      'The first line of the message of `commit_sha`. Null before that, for an upload, and from an older host.',
  }),
  commit_author: z.string().nullable().meta({ description: 'The name of its author' }),
  upload_id: z.string().nullable(),
  project: z.string().nullable(),
  xcode: z.string().nullable(),
  labels: labelsShape,
  rental_public_id: z.string().nullable().meta({ title: 'The Mac that it runs or ran on' }),
  rental_name: z.string().nullable().meta({ title: 'The name of that Mac; after its rental, the last one' }),
  pinned_rental_id: z.string().nullable().meta({ title: 'The Mac that it is pinned to' }),
  pinned_rental_name: z.string().nullable(),
  timeout_min: z.int().meta({ title: 'Minutes' }),
  priority: z.int().meta({ description: '1 goes before 0' }),
  clean_tree: z.boolean().meta({ description: 'Starts in an empty work folder' }),
  queue_until_rental: z.boolean().meta({ description: 'Waits even without a Mac' }),
  rerun_of: z.string().nullable().meta({ title: 'The build that it repeats' }),
  attempt: z.int().min(1).meta({ description: 'Number of the current attempt, from 1' }),
  exit_code: z.int().nullable().meta({ description: '128 + n after signal n' }),
  end_reason: endReason.nullable().meta({ title: 'Null until it has ended' }),
  wait_reason: waitReason.nullable().meta({ title: 'Null unless it is queued' }),
  queue_position: z.int().min(1).nullable().meta({ description: '1 starts next. Null unless it is queued.' }),
  fifo_position: z.int().min(0).meta({
    description: 'Older queued builds, of any priority. 0 unless it is queued.',
  }),
  estimated_wait_s: z
    .number()
    .nullable()
    .meta({ description: 'Estimated time until it starts. `estimate_basis` names the basis.' }),
  estimated_start_at: time.meta({ title: 'The same as a time' }),
  estimate_basis: estimateBasis.nullable().meta({ title: 'Null without an estimate' }),
  stop_requested_at: time.meta({ title: 'When its cancellation was requested' }),
  timings: z.object({
    created_at: moment,
    started_at: time,
    ended_at: time,
    queue_s: z.int().min(0),
    run_s: z.number().nullable().meta({ title: 'Whole seconds while it runs, exact once it has ended' }),
    estimated_end_at: time.meta({
      description:
        'Median of the latest builds of its project and script. For a running build; only builds that ended by themselves count. Null without any.',
    }),
    silent_s: z.int().min(0).nullable().meta({
      description: 'Since its last output. Null unless it runs.',
    }),
  }),
  steps: z.record(z.string(), moment).meta({ title: 'When each step began. By name, in the current attempt.' }),
  warnings: z.array(z.string()).meta({ description: 'Warnings that do not prevent the build' }),
  warning_messages: z.array(messageShape).meta({ description: '`warnings` as codes with values' }),
  failure: failureShape.nullable(),
  log_deleted_at: time,
  commit_status: z
    .object({
      state: z.enum(commitStates).nullable(),
      ...errorShapes,
    })
    .nullable()
    .meta({
      description: 'The last commit status sent. If a later one could not be sent, also why.',
    }),
};

const script = z.string();

export const buildShape = z.object({ ...fields, script }).meta({ id: 'Build' });
export type BuildView = z.infer<typeof buildShape>;

/** A build in any list. */
export const listedBuildShape = z
  .object({
    ...fields,
    script_excerpt: z.string().meta({ description: `The first ${EXCERPT_CHARS} characters of its script` }),
    script_bytes: z.int().min(0).meta({ description: 'Size of its script; `GET /builds/{build_id}` has the whole' }),
  })
  .meta({
    id: 'ListedBuild',
    description: 'As Build, with the beginning of its script',
  });
export type ListedBuildView = z.infer<typeof listedBuildShape>;

export const submittedShape = z
  .object({
    ...fields,
    script,
    notify: z
      .object({ url: z.string(), secret: z.string() })
      .optional()
      .meta({ description: 'Signs requests to `notify_url`; shown once' }),
  })
  .meta({ id: 'CreatedBuild', title: 'A build that was just submitted' });

export const buildPageShape = z
  .object({ builds: z.array(listedBuildShape), next_before: nextBefore })
  .meta({ id: 'BuildPage' });

/** What a view needs besides the build. */
export interface ViewContext {
  /** Ms since the epoch. */
  readonly now: number;
  readonly site: SiteAddresses;
}

const wholeSeconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));

/** Returns one build, with its whole script. */
export function buildView(placed: WholeBuild, context: ViewContext): BuildView {
  return Object.assign(commonView(placed, context), { script: placed.build.script });
}

/** Returns a build as lists show it. */
export function listedBuildView(placed: PlacedBuild, context: ViewContext): ListedBuildView {
  const { scriptExcerpt, scriptBytes } = placed.build;
  return Object.assign(commonView(placed, context), { script_excerpt: scriptExcerpt, script_bytes: scriptBytes });
}

/**
 * Callers add to the returned object, because copying so many fields with a spread takes longer than everything else in
 * a view.
 */
function commonView(
  { build, place, expectedEndAt = null, macNames }: PlacedBuild,
  { now, site }: ViewContext,
): Omit<BuildView, 'script'> {
  const { startedAt, endedAt } = build;
  const start = place?.estimatedStartAt ?? null;
  const nameOf = (rentalId: string | null) => (rentalId === null ? null : (macNames.get(rentalId) ?? rentalId));
  const warnings = firstWarnings(build.warnings, SHOWN_WARNINGS).map(shownWarning);
  return {
    id: build.buildId,
    status: build.status,
    state: build.status,
    repo: build.repo,
    repo_url: build.repoUrl,
    ref: build.ref,
    pr: build.pr,
    commit: build.commit,
    commit_sha: build.commitSha,
    commit_title: build.commitTitle,
    commit_author: build.commitAuthor,
    upload_id: build.uploadId,
    project: build.project,
    xcode: build.xcode,
    labels: { ...build.labels },
    rental_public_id: build.rentalId,
    rental_name: nameOf(build.rentalId),
    pinned_rental_id: build.pinnedRentalId,
    pinned_rental_name: nameOf(build.pinnedRentalId),
    timeout_min: build.timeoutMin,
    priority: build.priority,
    clean_tree: build.cleanTree,
    queue_until_rental: build.queueUntilRental,
    rerun_of: build.rerunOf,
    attempt: build.attempt,
    exit_code: build.exitCode,
    end_reason: build.endReason,
    wait_reason: place?.waitReason ?? null,
    queue_position: place?.queuePosition ?? null,
    fifo_position: place?.fifoPosition ?? 0,
    estimated_wait_s: start === null ? null : Math.max(0, Math.ceil((start - now) / 1000)),
    estimated_start_at: isoTime(start),
    estimate_basis: place?.estimateBasis ?? null,
    stop_requested_at: isoTime(build.stopRequestedAt),
    timings: {
      created_at: isoTime(build.createdAt),
      started_at: isoTime(startedAt),
      ended_at: isoTime(endedAt),
      queue_s: wholeSeconds((startedAt ?? endedAt ?? now) - build.createdAt),
      run_s: startedAt === null ? null : runSeconds(startedAt, endedAt, now),
      estimated_end_at: build.status === 'running' ? isoTime(expectedEndAt) : null,
      silent_s: silentSeconds(build, now),
    },
    steps: stepsView(build),
    // Older messages were stored unsanitized.
    warnings: warnings.map(({ text }) => text),
    warning_messages: warnings.map(messageView),
    failure: build.failure && failureView(build.failure, buildLogUrl(site, build.buildId)),
    log_deleted_at: isoTime(build.logDeletedAt),
    commit_status: commitStatusView(build),
  };
}

function commitStatusView(build: Build): BuildView['commit_status'] {
  const error = commitErrorOf(build);
  if (build.commitState === null && error === null) return null;
  return { state: build.commitState, ...errorView({ error }) };
}

/** The host's clock may differ from ours: the first step begins with the attempt. */
function stepsView({ steps, attemptStartedAt, endedAt }: Build): Record<string, string> {
  const first = steps[0]?.at;
  if (first === undefined || attemptStartedAt === null) return {};
  const end = endedAt ?? Number.POSITIVE_INFINITY;
  const at = (time: number) => Math.min(end, Math.max(attemptStartedAt, attemptStartedAt + time - first));
  return Object.fromEntries(steps.map(({ step, at: time }) => [step, new Date(at(time)).toISOString()]));
}

const SHOWN_WARNINGS = 1000;
const WARNING_CHARS = 1000;

const shownWarning = (warning: Message) => withTexts(buildWarnings, warning, (text) => cleanText(text, WARNING_CHARS));

/** Whole seconds while the build runs, exact once it has ended. */
function runSeconds(startedAt: number, endedAt: number | null, now: number): number {
  return endedAt === null ? wholeSeconds(now - startedAt) : Math.max(0, endedAt - startedAt) / 1000;
}

export function failureView(failure: BuildFailure, logUrl: string): z.infer<typeof failureShape> {
  return {
    category: failure.fault,
    fault: failure.fault,
    step: failure.step,
    summary: failure.summary,
    summary_message: messageView(failure.messages?.summary ?? uncoded(failure.summary)),
    log_url: logUrl,
    reason_code: failure.reasonCode,
    suggestion: failure.suggestion,
    suggestion_message: messageView(failure.messages?.suggestion ?? uncoded(failure.suggestion)),
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
  return {
    builds: page.builds.map((build) => listedBuildView(build, context)),
    next_before: page.nextBefore,
  };
}
