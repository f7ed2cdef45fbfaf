import type { Clock } from '../../../shared/clock.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Status } from '../app/status.js';
import { statusShape, statusView } from './status-view.js';

export interface StatusRoutesDeps {
  readonly status: Status;
  readonly clock: Clock;
  readonly site: SiteAddresses;
}

export function createStatusRoutes({ status, clock, site }: StatusRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/status',
      summary: 'Macs, queue, advice and the last builds at a glance',
      responses: { 200: statusShape },
      async handle(input) {
        const now = Math.floor(clock.now() / 1000) * 1000;
        const read = await status.read(scopeOf(input.caller), now);
        return { status: 200, body: statusView(input.caller.account, read, { now, site }) };
      },
    }),
  ];
}
