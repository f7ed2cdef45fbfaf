// GET /queue.
import { z } from 'zod';
import type { Core } from '../../platform/app/core.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Queue } from '../app/queue.js';
import { queueShape, queueView } from './queue-view.js';

export interface QueueRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly queue: Queue;
  readonly site: SiteAddresses;
}

export function createQueueRoutes({ queue, clock, limits, site }: QueueRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/queue',
      operationId: 'getQueue',
      level: 'read',
      summary: 'Running and waiting builds',
      query: z.object({ limit: pageParams(limits).limit.meta({ title: 'Of each list' }) }),
      responses: { 200: queueShape },
      async handle({ caller, query, step }) {
        const now = clock.now();
        const read = await queue.read(scopeOf(caller), now, step);
        await step();
        return { status: 200, body: queueView(read, { now, site }, query.limit) };
      },
    }),
  ];
}
