// The routes of both APIs, and the OpenAPI document of each.
import type { SessionCookie } from '../../access/http/session-cookie.js';
import { failureShape } from '../../builds/http/build-view.js';
import { webhooksSection } from '../../events/http/openapi-webhooks.js';
import { API_ROOT, CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import type { Limits } from '../../platform/domain/limits.js';
import { apiCodes, apiErrorShape } from '../../platform/http/api-envelope.js';
import { consoleCodes, consoleError, operatorError } from '../../platform/http/console-envelope.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { AnyRoute } from '../../platform/http/route.js';
import type { Part } from '../part.js';

/** Error envelope of the API. */
export const apiError = apiErrorShape({
  failure: failureShape.optional().meta({ description: 'Of the build of the request, if it failed' }),
});

export function joinConsoleRoutes(
  parts: readonly Part[],
  { siteUrl, cookie, limits }: { siteUrl: string; cookie: SessionCookie; limits: Limits },
): AnyRoute[] {
  const about = {
    title: 'Cidermill console API',
    url: `${siteUrl}${CONSOLE_ROOT}`,
    error: consoleError,
    codes: consoleCodes,
    limits,
    sessionCookie: cookie.name,
  };
  const routes: AnyRoute[] = [
    ...parts.flatMap((part) => part.consoleRoutes ?? []),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}

/** @param api what operators read and change; the parts add what only a running service has */
export function joinOperatorRoutes(
  parts: readonly Part[],
  api: readonly AnyRoute[],
  { siteUrl, cookie, limits }: { siteUrl: string; cookie: SessionCookie; limits: Limits },
): AnyRoute[] {
  const about = {
    title: 'Cidermill operator API',
    url: `${siteUrl}/api/operator`,
    error: operatorError,
    codes: consoleCodes,
    limits,
    sessionCookie: cookie.name,
  };
  const routes: AnyRoute[] = [
    ...api,
    ...parts.flatMap((part) => part.operatorRoutes ?? []).map((route) => ({ ...route, forOperators: true })),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}

/** @param options.consoleRoutes the console's API, of which the document has what programs use */
export function joinApiRoutes(
  parts: readonly Part[],
  { siteUrl, consoleRoutes, limits }: { siteUrl: string; consoleRoutes: readonly AnyRoute[]; limits: Limits },
): AnyRoute[] {
  const about = {
    title: 'Cidermill API',
    url: `${siteUrl}${API_ROOT}`,
    error: apiError,
    codes: apiCodes,
    limits,
    headers: { ErrorFormat: errorFormat },
    webhooks: webhooksSection(limits),
    beside: {
      url: `${siteUrl}${CONSOLE_ROOT}`,
      error: consoleError,
      codes: consoleCodes,
      routes: consoleRoutes.filter(({ inApiReference }) => inApiReference === true),
    },
  };
  const routes: AnyRoute[] = [
    ...parts.flatMap((part) => part.apiRoutes ?? []),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}

const errorFormat = {
  name: 'Service-Error-Format',
  in: 'header',
  description: '2: errors are {error: {...}}; without it error is the code, and the rest is error_detail.',
  schema: { const: '2' },
};
