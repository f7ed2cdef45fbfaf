// The response after any kind of sign-in: the person, and the cookie.

import type { Limits } from '../../platform/domain/limits.js';
import type { RouteReply } from '../../platform/http/route.js';
import type { Begun, Sessions } from '../app/sessions.js';
import type { SessionCookie } from './session-cookie.js';
import { sessionView } from './session-view.js';

export type SessionAnswer = (status: number, begun: Begun) => Promise<RouteReply>;

export function createSessionAnswer(deps: {
  sessions: Pick<Sessions, 'organizations'>;
  cookie: SessionCookie;
  clock: { now(): number };
  limits: Pick<Limits, 'session_absolute_ms'>;
}): SessionAnswer {
  const { sessions, cookie, clock, limits } = deps;
  const maxAgeS = Math.floor(limits.session_absolute_ms / 1000);
  return async (status, { person, token }) => ({
    status,
    headers: { 'set-cookie': cookie.set(token, maxAgeS) },
    body: sessionView(person, await sessions.organizations(person.userId), clock.now()),
  });
}

/** Stored with the session, so that its owner can tell sessions apart. */
export function userAgentOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const agent = headers['user-agent'];
  return typeof agent === 'string' ? agent : null;
}
