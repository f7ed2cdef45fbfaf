// Every route below /api/operator, added by hand like those of the two families.
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { runnerCodes, runnerError } from '../../platform/http/runner-envelope.js';
import { type CommandRoutesDeps, createCommandRoutes } from './commands.js';

export type OperatorRoutesDeps = CommandRoutesDeps & { readonly siteUrl: string };

export function createOperatorRoutes(deps: OperatorRoutesDeps): AnyRoute[] {
  const routes = createCommandRoutes(deps);
  const about = {
    title: 'Cidermill operator API',
    url: `${deps.siteUrl}/api/operator`,
    error: runnerError,
    codes: runnerCodes,
  };
  return [...routes, createReferenceRoute(routes, about)];
}
