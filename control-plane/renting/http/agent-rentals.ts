// GET /rentals, GET /rentals/:rental_id.
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { scopeOf } from '../../platform/domain/caller.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { RentedMacs } from '../app/rented-macs.js';
import { macDetailShape, macDetailView, rentalListShape, rentalListView } from './rental-view.js';

export interface RentalRoutesDeps {
  readonly rentedMacs: RentedMacs;
  readonly clock: Clock;
  readonly site: SiteAddresses;
}

export function createRentalRoutes({ rentedMacs, clock, site }: RentalRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/rentals',
      summary: 'Macs of the account that have not ended, and its build queue',
      responses: { 200: rentalListShape },
      async handle({ caller }) {
        const now = clock.now();
        const list = await rentedMacs.list(scopeOf(caller), now);
        return { status: 200, body: rentalListView(list, { now, site }) };
      },
    }),
    route({
      method: 'GET',
      path: '/rentals/:rental_id',
      summary: 'One Mac: its setup, what can be selected for it, its last job',
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
