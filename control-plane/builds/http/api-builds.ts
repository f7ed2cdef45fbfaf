// POST and GET /builds, GET and PATCH /builds/:build_id, wait and cancel.

import { z } from 'zod';
import type { Core } from '../../platform/app/core.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { beforeParam, integerParam, momentParam, searchParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Uploads } from '../../uploads/app/uploads.js';
import type { BuildRerun } from '../app/build-rerun.js';
import type { BuildSubmission, Submitted } from '../app/build-submission.js';
import type { Builds } from '../app/builds.js';
import type { FailureReports } from '../app/failure-reports.js';
import type { BuildStatus } from '../domain/build.js';
import { buildStatus } from '../domain/build-words.js';
import { buildBriefShape, buildBriefView } from './build-brief-view.js';
import { changesOf, priority, requestOf, requestShape } from './build-request.js';
import { buildPageShape, buildPageView, buildShape, buildView, submittedShape, submittedView } from './build-view.js';
import { failureReportShape, failureReportView } from './failure-report-view.js';

export interface BuildRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly builds: Builds;
  readonly failureReports: FailureReports;
  readonly uploads: Pick<Uploads, 'identity' | 'createChanged'>;
  readonly submit: BuildSubmission;
  readonly rerun: BuildRerun;
  readonly site: SiteAddresses;
}

export const buildParams = z.object({ build_id: z.string() });

export function createBuildRoutes(deps: BuildRoutesDeps): AnyRoute[] {
  return [submitRoute(deps), rerunRoute(deps), listRoute(deps), ...readRoutes(deps), ...changeRoutes(deps)];
}

/** Returns a function that gives views the time and the site's addresses. */
const contextOf =
  ({ clock, site }: BuildRoutesDeps) =>
  () => ({ now: clock.now(), site });

/** Common parts of the routes of one build. */
const one = {
  params: buildParams,
  invalidParams: 'build_not_found',
  responses: { 200: buildShape },
} as const;

function submitRoute({ submit, uploads, limits, site }: BuildRoutesDeps): AnyRoute {
  return route({
    method: 'POST',
    path: '/builds',
    operationId: 'createBuild',
    level: 'build',
    action: { name: 'build.create', made: 'id', concerns: [] },
    summary: 'Submit a build',
    body: requestShape(limits),
    invalidBody: 'invalid_build',
    invalidBodyField: { script: 'invalid_script' },
    idempotent: true,
    idempotentBody: ({ account }, body) => withUploadIdentity(uploads, account.id, body),
    uploads: ({ changes = [] }) => changes.length > 0,
    responses: { 201: submittedShape },
    errors: [
      'one_source_only',
      'invalid_repo',
      'invalid_repo_url',
      'invalid_ref',
      'invalid_commit',
      'upload_too_large',
      ...submissionErrors,
    ],
    async handle({ caller, body, recordReply, step }) {
      const reply = submittedReply(site);
      const request = requestOf(body);
      const changes = changesOf(body);
      const changed = request.uploadId !== null && changes.length > 0;
      const uploadId = changed
        ? (await uploads.createChanged(caller, request.uploadId, changes, step)).uploadId
        : request.uploadId;
      return reply(await submit(caller, { ...request, uploadId }, recordReply(reply), step));
    },
  });
}

/** Errors of a valid request: something it names is missing, or something it needs is in use. */
const submissionErrors = [
  'uploads_unavailable',
  'repo_host_not_allowed',
  'invalid_xcode',
  'xcode_not_available',
  'invalid_webhook',
  'upload_not_found',
  'upload_incomplete',
  'rental_not_found',
  'rental_not_active',
  'no_active_rental',
  'too_many_concurrent_builds',
  'queue_full',
] as const;

const submittedReply = (site: SiteAddresses) => (submitted: Submitted) => ({
  status: 201,
  body: submittedView(submitted, { now: submitted.build.createdAt, site }),
  stored: submitted.build,
});

function rerunRoute({ rerun, site }: BuildRoutesDeps): AnyRoute {
  return route({
    method: 'POST',
    path: '/builds/:build_id/rerun',
    operationId: 'rerunBuild',
    level: 'build',
    action: { name: 'build.create', made: 'id', concerns: [] },
    summary: 'Submit a build again. For the same commit or upload.',
    params: buildParams,
    invalidParams: 'build_not_found',
    invalidBody: 'invalid_build',
    idempotent: true,
    responses: { 201: submittedShape },
    errors: ['build_not_found', ...submissionErrors],
    async handle({ caller, params, recordReply, step }) {
      const reply = submittedReply(site);
      return reply(await rerun(caller, params.build_id, recordReply(reply), step));
    },
  });
}

function listRoute(deps: BuildRoutesDeps): AnyRoute {
  const { builds, limits } = deps;
  const context = contextOf(deps);
  return route({
    method: 'GET',
    path: '/builds',
    operationId: 'listBuilds',
    level: 'read',
    summary: 'Builds, newest first',
    query: listQuery(limits),
    invalidQueryField: { from: 'invalid_from', to: 'invalid_to' },
    responses: { 200: buildPageShape },
    async handle({ caller, query, step }) {
      const filter = {
        statuses: bothOf(statusesOf(query.status), statusesOf(query.state)),
        repo: query.repo ?? null,
        pr: query.pr ?? null,
        rentalId: query.rental_id ?? null,
        from: query.from ?? null,
        to: query.to ?? null,
        text: query.q ?? null,
        before: query.before ?? null,
        limit: query.limit ?? limits.list_limit_default,
      };
      const page = await builds.list(scopeOf(caller), filter, step);
      await step();
      return { status: 200, body: buildPageView(page, context()) };
    },
  });
}

function readRoutes(deps: BuildRoutesDeps): AnyRoute[] {
  const { builds, failureReports, limits } = deps;
  const context = contextOf(deps);
  return [
    route({
      ...one,
      method: 'GET',
      path: '/builds/:build_id',
      operationId: 'getBuild',
      level: 'read',
      belowLink: true,
      summary: 'One build',
      errors: ['build_not_found'],
      async handle({ caller, params }) {
        const build = await builds.get(scopeOf(caller), params.build_id);
        return { status: 200, body: buildView(build, context()) };
      },
    }),
    route({
      method: 'GET',
      path: '/builds/:build_id/failure',
      operationId: 'getBuildFailure',
      level: 'read',
      belowLink: true,
      summary: 'Why a build failed, and what to do about it',
      params: buildParams,
      invalidParams: 'build_not_found',
      responses: { 200: failureReportShape },
      errors: ['build_not_found'],
      async handle({ caller, params }) {
        const report = await failureReports.read(scopeOf(caller), params.build_id);
        return { status: 200, body: failureReportView(report, context(), limits) };
      },
    }),
    waitRoute(deps),
  ];
}

function waitRoute(deps: BuildRoutesDeps): AnyRoute {
  const { builds, limits, clock } = deps;
  const context = contextOf(deps);
  return route({
    method: 'GET',
    path: '/builds/:build_id/wait',
    operationId: 'waitForBuild',
    level: 'read',
    belowLink: true,
    summary: 'Wait until the build ends, with `since` until it changes; 204: it did not',
    params: buildParams,
    invalidParams: 'build_not_found',
    parks: () => true,
    query: z.object({
      timeout: integerParam(1, limits.long_poll_s).optional(),
      since: z.string().max(LONGEST_VERSION).meta({ description: 'The last `version`; 0 answers at once' }).optional(),
      view: z.enum(['full', 'brief']).meta({ description: 'brief: below 300 bytes' }).optional(),
    }),
    invalidQueryField: { timeout: 'invalid_timeout' },
    responses: { 200: z.union([buildShape, buildBriefShape]), 204: null },
    errors: ['build_not_found'],
    async handle({ caller, params: { build_id: id }, query, signal }) {
      const scope = scopeOf(caller);
      const ms = (query.timeout ?? limits.long_poll_s) * 1000;
      const build = await (query.since === undefined
        ? builds.wait(scope, id, ms, signal)
        : builds.waitForChange(scope, id, query.since, ms, signal));
      if (build === null) return { status: 204, body: null };
      if (query.view !== 'brief') return { status: 200, body: buildView(build, context()) };
      return { status: 200, body: buildBriefView(build, await builds.lastLine(id), clock.now()) };
    },
  });
}

/** Longer than any version. */
const LONGEST_VERSION = 64;

function changeRoutes(deps: BuildRoutesDeps): AnyRoute[] {
  const { builds } = deps;
  const context = contextOf(deps);
  return [
    route({
      ...one,
      method: 'PATCH',
      path: '/builds/:build_id',
      operationId: 'changeBuild',
      level: 'build',
      action: { name: 'build.prioritize', concerns: [] },
      summary: 'Change the priority of a waiting build',
      body: z.object({ priority }),
      invalidBody: 'invalid_build',
      errors: ['build_not_found', 'build_not_queued'],
      async handle({ caller, params, body, recordAction }) {
        const scope = scopeOf(caller);
        const build = await builds.setPriority(scope, params.build_id, body.priority, recordAction());
        if (build) return { status: 200, body: buildView(build, context()) };
        const { failure } = buildView(await builds.get(scopeOf(caller), params.build_id), context());
        throw new ApiError('build_not_queued', failure ? { detail: { failure } } : {});
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/builds/:build_id/cancel',
      operationId: 'cancelBuild',
      level: 'build',
      action: { name: 'build.cancel', concerns: [] },
      beyondRecordsLimit: 'frees',
      invalidBody: 'invalid_build',
      summary: 'Cancel a build. An ended build is returned unchanged.',
      errors: ['build_not_found'],
      async handle({ caller, params, recordAction }) {
        const build = await builds.cancel(scopeOf(caller), params.build_id, recordAction());
        return { status: 200, body: buildView(build, context()) };
      },
    }),
  ];
}

/**
 * Returns the body with its upload id replaced by the upload's content identity: a client that retries a submission
 * uploads its folder again and gets another id for the same files.
 */
async function withUploadIdentity(
  uploads: BuildRoutesDeps['uploads'],
  accountId: number,
  body: unknown,
): Promise<unknown> {
  if (typeof body !== 'object' || body === null || !('upload_id' in body)) return body;
  const { upload_id: uploadId } = body;
  const upload = typeof uploadId === 'string' ? await uploads.identity(accountId, uploadId) : null;
  return upload === null ? body : { ...body, upload_id: { upload } };
}

const statusParam = z.enum([...buildStatus.options, 'active']).optional();

function listQuery(limits: Limits) {
  return z.object({
    status: statusParam.meta({ description: 'active: queued or running' }),
    state: statusParam.meta({ description: 'The same as `status`' }),
    repo: z.string().optional().meta({ description: 'Exact `repo` or `repo_url`' }),
    pr: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
    rental_id: z.string().optional().meta({ description: 'On this Mac, or pinned to it' }),
    from: momentParam('Created since').optional(),
    to: momentParam('Created before').optional(),
    q: searchParam(limits, { description: 'In id, repo, repo_url, project, ref, commit_title, script' }).optional(),
    before: beforeParam.optional(),
    limit: integerParam(1, limits.list_limit_max).optional(),
  });
}

function statusesOf(param: BuildStatus | 'active' | undefined): readonly BuildStatus[] | null {
  if (param === undefined) return null;
  return param === 'active' ? ['queued', 'running'] : [param];
}

/** Returns the statuses that both filters allow; null allows all. */
function bothOf(a: readonly BuildStatus[] | null, b: readonly BuildStatus[] | null): readonly BuildStatus[] | null {
  return a && b ? a.filter((status) => b.includes(status)) : (a ?? b);
}
