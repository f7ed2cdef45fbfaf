// The API families that the server mounts: prefix, routes, authentication and envelope of each.
import { permitAgent } from '../../access/http/api-permit.js';
import { permitRunner } from '../../access/http/console-permit.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { agentCodes, agentErrorBody } from '../../platform/http/api-envelope.js';
import { createSuggest } from '../../platform/http/api-next.js';
import { runnerCodes, runnerErrorBody } from '../../platform/http/console-envelope.js';
import { type Authenticate, type Family, rootOf } from '../../platform/http/family.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { createRouteIndex } from '../../platform/http/route-index.js';
import { pathOf } from './request-log.js';

export const AGENT_ROOT = '/api/v1';
export const RUNNER_ROOT = '/api/runner';
export const OPERATOR_ROOT = '/api/operator';
/** The API for the link to a build. */
export const SHARED_AGENT_ROOT = `${RUNNER_ROOT}/v1/shared/:token/agent`;
/** The API for console sessions. */
export const CONSOLE_AGENT_ROOT = `${RUNNER_ROOT}/v1/organizations/:org_id/agent`;

export function agentFamily(prefix: string, routes: readonly AnyRoute[], authenticate: Authenticate): Family {
  const index = createRouteIndex(routes);
  return {
    prefix,
    routes,
    index,
    authenticate,
    permit: permitAgent,
    codes: agentCodes,
    envelope: (request) => {
      // Suggested requests use the base path of this request.
      const suggest = createSuggest(rootOf(pathOf(request), prefix), index);
      return (error, context) => agentErrorBody(error, context, request.headers['service-error-format'], suggest);
    },
  };
}

/** The API for anybody with the link to a build: what can be read about that build. */
export function sharedFamily(routes: readonly AnyRoute[], authenticate: Authenticate): Family {
  const ofBuild = ({ method, path }: AnyRoute) => method === 'GET' && path.startsWith('/builds/:build_id');
  return agentFamily(SHARED_AGENT_ROOT, routes.filter(ofBuild), authenticate);
}

export function runnerFamily(routes: readonly AnyRoute[], authenticate: Authenticate): Family {
  return {
    prefix: RUNNER_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate,
    permit: permitRunner,
    codes: runnerCodes,
    envelope: () => runnerErrorBody,
  };
}

/** Routes for operators, who are not callers of an account: no level applies to them. */
export function operatorFamily(routes: readonly AnyRoute[], authenticate: Authenticate): Family {
  return {
    prefix: OPERATOR_ROOT,
    routes,
    index: createRouteIndex(routes),
    authenticate,
    permit: () => {
      throw new ApiError('operator_token_required');
    },
    codes: runnerCodes,
    envelope: () => runnerErrorBody,
  };
}
