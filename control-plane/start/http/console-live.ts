// GET /v1/organizations/:org_id/live: server-sent events about what has changed, for the open pages of the console.
import { z } from 'zod';
import { scopeOf } from '../../platform/domain/caller.js';
import { EVENT_STREAM, type EventStreams, eventOf } from '../../platform/http/event-stream.js';
import { type AnyRoute, type RouteReply, route } from '../../platform/http/route.js';
import type { Live, LiveChange } from '../app/live.js';

export interface LiveRoutesDeps {
  readonly live: Live;
  readonly eventStreams: EventStreams;
}

export function createLiveRoutes({ live, eventStreams }: LiveRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/live',
      operationId: 'followChanges',
      level: 'read',
      consoleOnly: true,
      summary: 'Changes, as server-sent events',
      params: z.object({ org_id: z.string() }),
      staysOpen: true,
      responses: { 200: EVENT_STREAM },
      errors: ['rate_limited'],
      async handle({ caller, signal }) {
        return eventStreams.open(signal, (send) =>
          live.followAccount(scopeOf(caller), (change) => send(changeEvent(change))),
        );
      },
    }),
  ];
}

/** The stream of the operators' pages. */
export function operatorStream({ live, eventStreams }: LiveRoutesDeps, signal: AbortSignal): RouteReply {
  return eventStreams.open(signal, (send) => live.followOperators((change) => send(changeEvent(change))));
}

const changeEvent = (change: LiveChange) => eventOf('change', change);
