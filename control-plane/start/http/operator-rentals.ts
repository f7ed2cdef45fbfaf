// GET /v1/organizations/:org_id/rentals of the operator API.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time, won } from '../../platform/http/values.js';
import { FOREVER } from '../../renting/domain/rental.js';
import type { ListedRental, OperatorLists } from '../app/operator-lists.js';

export interface OperatorRentalDeps {
  readonly lists: Pick<OperatorLists, 'rentals'>;
  readonly organizations: Pick<Organizations, 'find'>;
  readonly limits: Limits;
}

const rentalShape = z
  .object({
    rental_id: z.string(),
    name: z.string().meta({ title: 'What the organization calls it' }),
    tier: z.string(),
    host: z.object({ host_id: z.string(), name: z.string() }),
    slot_id: z.string(),
    state: z.string(),
    order_no: z.string().nullable().meta({ description: 'Null: granted by an operator' }),
    hours: z.int().nullable(),
    amount_won: won,
    ends_at: time.nullable().meta({ description: 'Null: no end' }),
  })
  .meta({ id: 'OperatorRental' });

export function createOperatorRentalRoutes({ lists, organizations, limits }: OperatorRentalDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/rentals',
      operationId: 'listRentals',
      level: 'read',
      summary: 'Macs of an organization that have not ended, the oldest first',
      params: z.object({ org_id: z.string() }),
      query: z.object(pageParams(limits)),
      responses: {
        200: z.object({ data: z.array(rentalShape), next_cursor: nextCursor }).meta({ id: 'OperatorRentalPage' }),
      },
      async handle({ params, query: { limit = limits.list_limit_default, cursor = null } }) {
        const { id } = await organizations.find(params.org_id);
        const found = await lists.rentals(id, { after: cursor, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, (one) => ({ at: one.createdAt, id: one.rentalId }));
        return { status: 200, body: { data: page.map(rentalView), next_cursor: next } };
      },
    }),
  ];
}

const rentalView = (rental: ListedRental): z.infer<typeof rentalShape> => ({
  rental_id: rental.rentalId,
  name: rental.name,
  tier: rental.tier,
  state: rental.state,
  order_no: rental.orderNo,
  slot_id: rental.slotId,
  hours: rental.hours,
  amount_won: rental.amountWon,
  host: { host_id: rental.host.hostId, name: rental.host.name },
  ends_at: rental.endsAt === FOREVER ? null : isoTime(rental.endsAt),
});
