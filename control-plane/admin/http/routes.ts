// All routes below /api/operator, listed explicitly like those of the two APIs.
import type { SessionCookie } from '../../access/http/session-cookie.js';
import type { Part } from '../../compose/part.js';
import type { Limits } from '../../platform/domain/limits.js';
import { consoleCodes, consoleError } from '../../platform/http/console-envelope.js';
import { createReferenceRoute } from '../../platform/http/reference.js';
import type { AnyRoute } from '../../platform/http/route.js';
import { type CommandRoutesDeps, createCommandRoutes } from './commands.js';

export type OperatorRoutesDeps = CommandRoutesDeps & {
  readonly siteUrl: string;
  readonly limits: Limits;
  readonly cookie: SessionCookie;
  readonly parts: readonly Part[];
};

export function createOperatorRoutes(deps: OperatorRoutesDeps): AnyRoute[] {
  const about = {
    title: 'Cidermill operator API',
    url: `${deps.siteUrl}/api/operator`,
    error: consoleError,
    codes: consoleCodes,
    limits: deps.limits,
    sessionCookie: deps.cookie.name,
  };
  const routes: AnyRoute[] = [
    ...[...deps.parts.flatMap((part) => part.operatorRoutes ?? []), ...createCommandRoutes(deps)].map((route) => ({
      ...route,
      forOperators: true,
    })),
    createReferenceRoute(() => routes, about),
  ];
  return routes;
}
