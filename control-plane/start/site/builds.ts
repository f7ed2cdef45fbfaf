// /builds/:build_id, the target of `console_url` in webhooks and commit statuses, and the downloads on that page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../shared/clock.js';
import type { BuildViewing } from '../../builds/app/build-viewing.js';
import type { Files } from '../../builds/app/files.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { SignedIn } from '../../platform/domain/person.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { buildPage, missingBuildPage, problemPage } from './build-page.js';
import { CONSOLE_PAGE_HEADERS } from './console-page.js';

export interface BuildPagesDeps {
  readonly viewing: BuildViewing;
  readonly files: Pick<Files, 'ticket'>;
  readonly clock: Clock;
  /** Counts the pages with the person's API requests. */
  readonly requestRate: RequestRate;
  /** Returns the signed-in person, or null without a valid session. */
  person(request: FastifyRequest): Promise<SignedIn | null>;
  clientIp(request: FastifyRequest): string;
}

type Answer = { status: number; html: string } | { location: string };

export function mountBuildPages(server: FastifyInstance, deps: BuildPagesDeps): void {
  const { viewing, files, clock } = deps;
  const answer = createAnswering(deps);

  server.get<{ Params: { build_id: string } }>('/builds/:build_id', (request, reply) =>
    answer(request, reply, async (person) => {
      const viewed = await viewing.view(person, request.params.build_id, deps.clientIp(request));
      return { status: 200, html: buildPage(viewed, clock.now()) };
    }),
  );
  server.get<{ Params: { build_id: string; file_id: string } }>(
    '/builds/:build_id/artifacts/:file_id',
    (request, reply) =>
      answer(request, reply, async (person) => {
        const { build_id: buildId, file_id: fileId } = request.params;
        const caller = await viewing.caller(person, buildId, deps.clientIp(request));
        const { ticket } = await files.ticket(caller, buildId, fileId);
        return { location: `/api/runner/v1/downloads/${ticket}` };
      }),
  );
}

/** Redirects people who are not signed in to the sign-in page and back, and renders errors as pages. */
function createAnswering({ person: personOf, requestRate }: BuildPagesDeps) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (person: SignedIn) => Promise<Answer>,
  ): Promise<FastifyReply> => {
    const person = await personOf(request);
    // Checked before any lookup, so that the response does not disclose whether a build exists.
    if (!person) return reply.redirect(`/sign-in?next=${encodeURIComponent(pathOf(request))}`, 303);
    const taken = requestRate.take(person.userId);
    if (!taken.ok) reply.header('retry-after', taken.retryAfterS);
    const result = taken.ok
      ? await work(person).catch((error: unknown) => problemOf(error, person.email))
      : {
          status: 429,
          html: problemPage('Too many requests', person.email, `Try again in ${taken.retryAfterS} s.`),
        };
    if ('location' in result) return reply.redirect(result.location, 303);
    return reply
      .code(result.status)
      .headers(CONSOLE_PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(result.html);
  };
}

function problemOf(error: unknown, email: string): Answer {
  const code = error instanceof ApiError ? error.code : null;
  if (code === 'build_not_found') return { status: 404, html: missingBuildPage(email) };
  if (code === 'not_found') {
    const lead = 'The artifact has been deleted, or never was.';
    return { status: 404, html: problemPage('No such artifact', email, lead) };
  }
  if (code === 'organization_suspended') {
    const lead = 'The people who run this service have suspended the organization of this build.';
    return { status: 403, html: problemPage('The organization is suspended', email, lead) };
  }
  throw error;
}

/** Returns the path without the query, which the page does not use. */
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';
