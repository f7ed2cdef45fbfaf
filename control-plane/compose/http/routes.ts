// The routes of both APIs, and the OpenAPI document of each family.
import type { SessionCookie } from '../../access/http/session-cookie.js';
import { failureShape } from '../../builds/http/build-view.js';
import { webhooksSection } from '../../events/http/openapi-webhooks.js';
import type { Limits } from '../../platform/domain/limits.js';
import { agentCodes, agentErrorShape } from '../../platform/http/api-envelope.js';
import { runnerCodes, runnerError } from '../../platform/http/console-envelope.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { AnyRoute } from '../../platform/http/route.js';
import type { Part } from '../part.js';

/** Error envelope of the API. */
export const agentError = agentErrorShape({
  failure: failureShape.optional().meta({ description: 'Of the build of the request, if it failed' }),
});

export function joinRunnerRoutes(
  parts: readonly Part[],
  { siteUrl, cookie, limits }: { siteUrl: string; cookie: SessionCookie; limits: Limits },
): AnyRoute[] {
  const about = {
    title: 'Cidermill runner API',
    url: `${siteUrl}/api/runner`,
    error: runnerError,
    codes: runnerCodes,
    limits,
    sessionCookie: cookie.name,
  };
  const routes: AnyRoute[] = [
    ...parts.flatMap((part) => part.runnerRoutes ?? []),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}

/** @param options.runnerRoutes the console's API, whose operations for keys are part of the document */
export function joinAgentRoutes(
  parts: readonly Part[],
  { siteUrl, runnerRoutes, limits }: { siteUrl: string; runnerRoutes: readonly AnyRoute[]; limits: Limits },
): AnyRoute[] {
  const about = {
    title: 'Cidermill agent API',
    url: `${siteUrl}/api/v1`,
    error: agentError,
    codes: agentCodes,
    limits,
    headers: { ErrorFormat: errorFormat },
    webhooks: webhooksSection(limits),
    beside: {
      url: `${siteUrl}/api/runner`,
      error: runnerError,
      codes: runnerCodes,
      routes: runnerRoutes.filter(isForKeys),
    },
  };
  const routes: AnyRoute[] = [
    ...parts.flatMap((part) => part.agentRoutes ?? []),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}

/** Operations of the console's API that keys may use are part of the API's document. */
const isForKeys = ({ path, consoleOnly }: AnyRoute) =>
  consoleOnly !== true && /^\/v1\/(files|jobs|downloads)(\/|$)/.test(path);

const errorFormat = {
  name: 'Service-Error-Format',
  in: 'header',
  description: '2: errors are {error: {...}}; without it error is the code, and the rest is error_detail.',
  schema: { const: '2' },
};
