// GET /queue.
import type { Clock } from '../../../shared/clock.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Queue } from '../app/queue.js';
import { queueShape, queueView } from './queue-view.js';

export interface QueueRoutesDeps {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly site: SiteAddresses;
}

export function createQueueRoutes({ queue, clock, site }: QueueRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/queue',
      operationId: 'getQueue',
      level: 'read',
      summary: 'Running and waiting builds, with estimates',
      responses: { 200: queueShape },
      async handle({ caller, step }) {
        const now = clock.now();
        const read = await queue.read(scopeOf(caller), now, step);
        await step();
        return { status: 200, body: queueView(read, { now, site }) };
      },
    }),
  ];
}
