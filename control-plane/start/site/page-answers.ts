// Serves pages for signed-in people.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../platform/domain/person.js';
import type { RequestRate } from '../../platform/http/request-rate.js';
import { CONSOLE_PAGE_HEADERS, problemPage } from './console-page.js';

export interface PageAnswersDeps {
  /** Rate limit shared with the person's API requests. */
  readonly requestRate: RequestRate;
  /** Returns the signed-in person, or null without a valid session. */
  person(request: FastifyRequest): Promise<SignedIn | null>;
}

export type PageAnswer = { status: number; html: string } | { location: string };

/**
 * Redirects people who are not signed in to the sign-in page and back, and renders errors as pages.
 *
 * @param problemOf returns the page for an error, or throws the error
 */
export function createPageAnswers(
  { person: personOf, requestRate }: PageAnswersDeps,
  problemOf: (error: unknown, email: string) => PageAnswer,
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (person: SignedIn) => Promise<PageAnswer>,
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

/** Returns the path without the query, which the pages do not use. */
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';
