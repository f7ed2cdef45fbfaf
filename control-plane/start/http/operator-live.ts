// GET /v1/live of the operator API: server-sent events for the open pages of operators.
import { EVENT_STREAM } from '../../platform/http/event-stream.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { type LiveRoutesDeps, operatorStream } from './console-live.js';

export function createOperatorLiveRoutes(deps: LiveRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/live',
      operationId: 'followChanges',
      level: 'read',
      summary: 'Changes, as server-sent events',
      staysOpen: true,
      responses: { 200: EVENT_STREAM },
      errors: ['rate_limited'],
      handle: async ({ signal }) => operatorStream(deps, signal),
    }),
  ];
}
