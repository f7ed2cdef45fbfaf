// GET /rentals, GET /rentals/:rental_id.
import { z } from 'zod';
import type { Core } from '../../platform/app/core.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { pageOf, pageParams } from '../../platform/http/page.js';
import { searchParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { RentedMacs } from '../app/rented-macs.js';
import { macDetailShape, macDetailView, rentalListShape, rentalListView } from './rental-view.js';

export interface RentalRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly rentedMacs: RentedMacs;
  readonly site: SiteAddresses;
}

export function createRentalRoutes({ rentedMacs, clock, site, limits }: RentalRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/rentals',
      operationId: 'listRentals',
      level: 'read',
      summary: 'Macs, oldest first, and the build queue',
      query: z.object({ ...pageParams(limits), q: searchParam(limits, { title: 'Text in name or id' }).optional() }),
      responses: { 200: rentalListShape },
      async handle({ caller, query: { limit, cursor, q }, step }) {
        const now = clock.now();
        const { macs, queue } = await rentedMacs.list(
          scopeOf(caller),
          now,
          { after: cursor ?? null, text: q ?? '' },
          step,
        );
        await step();
        // All by default.
        const most = limit ?? (cursor ? limits.list_limit_default : Number.POSITIVE_INFINITY);
        const { page, next } = pageOf(macs, most, ({ mac }) => ({ at: mac.createdAt, id: mac.rentalId }));
        return { status: 200, body: rentalListView({ macs: page, queue, next, most }, { now, site }) };
      },
    }),
    route({
      method: 'GET',
      path: '/rentals/:rental_id',
      operationId: 'getRental',
      level: 'read',
      summary: 'One Mac, its setup and its last job',
      params: z.object({ rental_id: z.string() }),
      invalidParams: 'rental_not_found',
      responses: { 200: macDetailShape },
      errors: ['rental_not_found'],
      async handle({ caller, params }) {
        const now = clock.now();
        const mac = await rentedMacs.get(scopeOf(caller), params.rental_id, now);
        return { status: 200, body: macDetailView(mac, { now, site }) };
      },
    }),
  ];
}
