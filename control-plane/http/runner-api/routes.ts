// Every route of family B, added by hand like those of family A.
import { createReferenceRoute } from '../reference.js';
import type { AnyRoute } from '../route.js';
import { runnerError } from './envelope.js';

export interface RunnerRoutesDeps {
  readonly siteUrl: string;
}

export function createRunnerRoutes(deps: RunnerRoutesDeps): AnyRoute[] {
  const routes: AnyRoute[] = [];
  const about = { title: 'Cidermill runner API', url: `${deps.siteUrl}/api/runner`, error: runnerError };
  return [...routes, createReferenceRoute(routes, about)];
}
