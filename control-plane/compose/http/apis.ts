// The APIs that the server mounts: prefix, routes, authentication and envelope of each.
import { permitInApi, permitInConsole } from '../../access/http/permit.js';
import { CONSOLE_ROOT, OPERATOR_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { apiCodes, apiErrorBody } from '../../platform/http/api-envelope.js';
import { createSuggest } from '../../platform/http/api-next.js';
import { consoleCodes, consoleErrorBody } from '../../platform/http/console-envelope.js';
import { type Api, type Authenticate, rootOf } from '../../platform/http/mount-api.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { createRouteIndex } from '../../platform/http/route-index.js';
import { pathOf } from './request-log.js';

/** The API for the link to a build. */
export const SHARED_API_ROOT = `${CONSOLE_ROOT}/v1/shared/:token/agent`;
/** The API for console sessions. */
export const SESSION_API_ROOT = `${CONSOLE_ROOT}/v1/organizations/:org_id/agent`;

export function programsApi(prefix: string, routes: readonly AnyRoute[], authenticate: Authenticate): Api {
  const index = createRouteIndex(routes);
  return {
    prefix,
    routes,
    index,
    authenticate,
    permit: permitInApi,
    codes: apiCodes,
    envelope: (request) => {
      // Suggested requests use the base path of this request.
      const suggest = createSuggest(rootOf(pathOf(request), prefix), index);
      return (error, context) => apiErrorBody(error, context, request.headers['service-error-format'], suggest);
    },
  };
}

/** The API for anybody with the link to a build: what can be read about that build. */
export function sharedApi(routes: readonly AnyRoute[], authenticate: Authenticate): Api {
  const readings = routes.filter(({ belowLink }) => belowLink === true);
  return programsApi(SHARED_API_ROOT, readings, authenticate);
}

export function consoleApi(routes: readonly AnyRoute[], authenticate: Authenticate): Api {
  return {
    prefix: CONSOLE_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate,
    permit: permitInConsole,
    codes: consoleCodes,
    envelope: () => consoleErrorBody,
  };
}

/** Routes for operators, who are not callers of an account: no level applies to them. */
export function operatorApi(routes: readonly AnyRoute[], authenticate: Authenticate): Api {
  return {
    prefix: OPERATOR_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate,
    permit: () => {
      throw new ApiError('operator_token_required');
    },
    codes: consoleCodes,
    envelope: () => consoleErrorBody,
  };
}
