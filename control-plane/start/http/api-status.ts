import { z } from 'zod';
import type { Core } from '../../platform/app/core.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Status } from '../app/status.js';
import { statusShape, statusView } from './status-view.js';

export interface StatusRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly status: Status;
  readonly site: SiteAddresses;
}

export function createStatusRoutes({ status, clock, site, limits }: StatusRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/status',
      operationId: 'getStatus',
      level: 'read',
      summary: 'Macs, queue, advice and last builds',
      query: z.object({
        limit: pageParams(limits).limit.meta({ title: 'Of each list' }),
      }),
      responses: { 200: statusShape },
      async handle({ caller, query, step }) {
        const now = Math.floor(clock.now() / 1000) * 1000;
        const read = await status.read(scopeOf(caller), now, step);
        await step();
        return { status: 200, body: statusView(caller.account, read, { now, site }, query.limit) };
      },
    }),
  ];
}
