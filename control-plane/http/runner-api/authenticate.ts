import type { Caller } from '../../domain/caller.js';
import { ApiError } from '../../domain/error-catalog.js';
import { bearerToken } from '../bearer.js';
import type { Authenticate } from '../family.js';

/**
 * Family B: a key, or where only a person may act, a console session. A key at such an endpoint is refused
 * before anybody looks whether it is valid.
 */
export function createRunnerAuthenticate(byKey: Authenticate): Authenticate {
  return (request, route): Caller | Promise<Caller> => {
    if (!route.consoleOnly) return byKey(request, route);
    throw new ApiError(
      bearerToken(request.headers.authorization) === null ? 'session_required' : 'console_only',
    );
  };
}
