import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { bearerToken } from '../../platform/http/bearer.js';
import type { Authenticate } from '../../platform/http/mount-api.js';
import type { AnyRoute } from '../../platform/http/route.js';
import type { SessionAuthenticator } from './session-authenticator.js';

/**
 * The console's API: a key or a console session. With a bearer token, cookies are ignored; on routes for people it is refused
 * without checking the key.
 */
export function createConsoleAuthenticate(byKey: Authenticate, sessions: SessionAuthenticator): Authenticate {
  const bySession = bySessionOnly(sessions);
  const byEither = async (request: FastifyRequest, route: AnyRoute): Promise<Caller | null> => {
    const person = await sessions.person(request);
    if (!person) return byKey(request, route);
    request.session = person;
    return sessions.caller(request, route, person);
  };
  return (request, route) => {
    if (route.consoleOnly) return bySession(request, route);
    const isProgram = bearerToken(request.headers.authorization) !== null;
    return isProgram || route.sessionScope === undefined ? byKey(request, route) : byEither(request, route);
  };
}

/** Accepts sessions only: for console endpoints, and for the API in the console. */
export function bySessionOnly(sessions: SessionAuthenticator): Authenticate {
  return async (request, route) => {
    if (bearerToken(request.headers.authorization) !== null) throw new ApiError('console_only');
    const person = await sessions.person(request);
    if (!person) throw new ApiError('session_required');
    request.session = person;
    return sessions.caller(request, route, person);
  };
}
