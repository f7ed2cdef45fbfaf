// /builds/:build_id, the target of `console_url` in webhooks and commit statuses, and the downloads on that page.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../shared/clock.js';
import type { BuildViewing } from '../../builds/app/build-viewing.js';
import type { Files } from '../../builds/app/files.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { buildPage, missingBuildPage } from './build-page.js';
import { problemPage } from './console-page.js';
import { createPageAnswers, type PageAnswer, type PageAnswersDeps } from './page-answers.js';

export interface BuildPagesDeps extends PageAnswersDeps {
  readonly viewing: BuildViewing;
  readonly files: Pick<Files, 'ticket'>;
  readonly clock: Clock;
  clientIp(request: FastifyRequest): string;
}

export function mountBuildPages(server: FastifyInstance, deps: BuildPagesDeps): void {
  const { viewing, files, clock } = deps;
  const answer = createPageAnswers(deps, problemOf);

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

function problemOf(error: unknown, email: string): PageAnswer {
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
