// GET /v1/tiers of the operator API. There are few tiers, so they are not paged.
import { z } from 'zod';
import { tierFieldsShape, tierView } from '../../macs/http/tier-view.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { OperatorLists } from '../app/operator-lists.js';

const tierShape = z
  .object({
    ...tierFieldsShape,
    slots: z
      .object({ free: count, used: count, unsellable: count })
      .meta({ description: 'unsellable: the host takes no new Macs, or serves another organization' }),
  })
  .meta({ id: 'OperatorTier' });

export function createOperatorTierRoutes(deps: { readonly lists: Pick<OperatorLists, 'tiers'> }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/tiers',
      operationId: 'listTiers',
      level: 'read',
      summary: 'All tiers with their slots, the cheapest first',
      responses: { 200: z.object({ tiers: z.array(tierShape) }).meta({ id: 'OperatorTiers' }) },
      async handle() {
        const tiers = await deps.lists.tiers();
        return {
          status: 200,
          body: { tiers: tiers.map(({ tier, slots }) => ({ ...tierView(tier), slots: { ...slots } })) },
        };
      },
    }),
  ];
}
