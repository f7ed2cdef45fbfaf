// Every route of family A. A new table is added here, by hand: the list of routes stands somewhere.
import { createReferenceRoute } from '../reference.js';
import type { AnyRoute } from '../route.js';
import { type AccountRoutesDeps, createAccountRoutes } from './account.js';
import { agentError } from './envelope.js';

/** What the tables need, all of them together. */
export type AgentRoutesDeps = AccountRoutesDeps & { readonly siteUrl: string };

export function createAgentRoutes(deps: AgentRoutesDeps): AnyRoute[] {
  const routes = [...createAccountRoutes(deps)];
  const about = { title: 'Cidermill agent API', url: `${deps.siteUrl}/api/v1`, error: agentError };
  return [...routes, createReferenceRoute(routes, about)];
}
