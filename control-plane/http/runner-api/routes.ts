// Every route of family B, added by hand like those of family A.
import { createReferenceRoute } from '../reference.js';
import type { AnyRoute } from '../route.js';
import { runnerError } from './envelope.js';
import { createLeakedKeyRoutes, type LeakedKeyRoutesDeps } from './leaked-keys.js';

/** What the tables need, all of them together. */
export type RunnerRoutesDeps = LeakedKeyRoutesDeps & { readonly siteUrl: string };

export function createRunnerRoutes(deps: RunnerRoutesDeps): AnyRoute[] {
  const routes = [...createLeakedKeyRoutes(deps)];
  const about = { title: 'Cidermill runner API', url: `${deps.siteUrl}/api/runner`, error: runnerError };
  return [...routes, createReferenceRoute(routes, about)];
}
