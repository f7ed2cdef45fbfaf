// The response after any kind of sign-in: the person, and the cookie.
import type { IncomingHttpHeaders } from 'node:http';
import type { Limits } from '../../platform/domain/limits.js';
import { personLanguage } from '../../platform/http/person-language.js';
import type { RouteReply } from '../../platform/http/route.js';
import type { Begun, Origin } from '../app/sessions.js';
import type { SessionCookie } from './session-cookie.js';
import type { SessionView } from './session-view.js';

export type SessionAnswer = (status: number, begun: Begun) => Promise<RouteReply>;

export function createSessionAnswer(deps: {
  view: SessionView;
  cookie: SessionCookie;
  limits: Pick<Limits, 'session_absolute_ms'>;
}): SessionAnswer {
  const { view, cookie, limits } = deps;
  const maxAgeS = Math.floor(limits.session_absolute_ms / 1000);
  return async (status, { person, token }) => ({
    status,
    headers: { 'set-cookie': cookie.set(token, maxAgeS) },
    body: await view(person),
  });
}

/** Stored with the session, so that its owner can tell sessions apart. */
export const originOf = ({ ip, headers }: { ip: string; headers: IncomingHttpHeaders }): Origin => ({
  ip,
  userAgent: headers['user-agent'] ?? null,
  language: personLanguage(headers) ?? null,
});
