// The routes of both APIs, with their levels, and the OpenAPI document of each family. The whole list, with the
// level of each, is access/domain/levels.ts; a route that is missing there is a startup error.
import { agentActions, runnerActions, withActions } from '../../access/domain/audit-actions.js';
import { agentLevels, paymentWebhookLevels, runnerLevels, withLevels } from '../../access/domain/levels.js';
import { withRecords } from '../../access/domain/record-routes.js';
import type { SessionCookie } from '../../access/http/session-cookie.js';
import { failureShape } from '../../builds/http/build-view.js';
import { webhooksSection } from '../../events/http/openapi-webhooks.js';
import { agentCodes, agentErrorShape } from '../../platform/http/api-envelope.js';
import { runnerCodes, runnerError } from '../../platform/http/console-envelope.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { LeveledRoute } from '../../platform/http/route.js';
import type { Part } from '../part.js';

/** Error envelope of the API. */
export const agentError = agentErrorShape({
  failure: failureShape.optional().meta({ description: 'Of the build of the request, if it failed' }),
});

export function joinRunnerRoutes(
  parts: readonly Part[],
  { siteUrl, cookie, portone }: { siteUrl: string; cookie: SessionCookie; portone: boolean },
): LeveledRoute[] {
  const about = {
    title: 'Cidermill runner API',
    url: `${siteUrl}/api/runner`,
    error: runnerError,
    codes: runnerCodes,
    sessionCookie: cookie.name,
  };
  const levels = { ...runnerLevels, ...(portone ? paymentWebhookLevels : {}) };
  const routes: LeveledRoute[] = withActions(
    runnerActions,
    withRecords(
      withLevels(levels, [
        ...parts.flatMap((part) => part.runnerRoutes ?? []),
        createReferenceRoute(() => routes, about),
      ]),
    ),
  );
  return routes;
}

/** @param options.runnerRoutes the console's API, whose operations for keys are part of the document */
export function joinAgentRoutes(
  parts: readonly Part[],
  { siteUrl, runnerRoutes }: { siteUrl: string; runnerRoutes: readonly LeveledRoute[] },
): LeveledRoute[] {
  const about = {
    ...{ title: 'Cidermill agent API', url: `${siteUrl}/api/v1`, error: agentError, codes: agentCodes },
    ...{ headers: { ErrorFormat: errorFormat }, webhooks: webhooksSection },
    beside: {
      ...{ url: `${siteUrl}/api/runner`, error: runnerError, codes: runnerCodes },
      routes: runnerRoutes.filter(isForKeys),
    },
  };
  const routes: LeveledRoute[] = withActions(
    agentActions,
    withRecords(
      withLevels(agentLevels, [
        ...parts.flatMap((part) => part.agentRoutes ?? []),
        createReferenceRoute(() => routes, about),
      ]),
    ),
  );
  return routes;
}

/** Operations of the console's API that keys may use are part of the API's document. */
const isForKeys = ({ path, consoleOnly }: LeveledRoute) =>
  consoleOnly !== true && /^\/v1\/(files|jobs|downloads)(\/|$)/.test(path);

const errorFormat = {
  name: 'Service-Error-Format',
  in: 'header',
  description: '2: errors are {error: {...}}; without it error is the code, and the rest is error_detail.',
  schema: { const: '2' },
};
