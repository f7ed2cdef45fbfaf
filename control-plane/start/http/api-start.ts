// GET /agent/start: one page with everything that a program needs to get started.

import type { Limits } from '../../platform/domain/limits.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Start } from '../app/start.js';
import { accountStart } from './start-document.js';

export interface StartRoutesDeps {
  readonly siteUrl: string;
  readonly start: Start;
  readonly limits: Limits;
}

export function createStartRoutes({ siteUrl, start, limits }: StartRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/agent/start',
      operationId: 'getAgentStart',
      level: 'read',
      summary: 'How to use the service. Written for this account as it is now.',
      responses: { 200: 'text/markdown' },
      async handle({ caller }) {
        const facts = await start.facts(caller);
        return {
          status: 200,
          type: 'text/markdown; charset=utf-8',
          body: accountStart(siteUrl, caller, facts, limits),
        };
      },
    }),
  ];
}
