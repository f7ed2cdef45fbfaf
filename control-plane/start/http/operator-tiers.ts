// GET /v1/tiers, /v1/images and /v1/images/:tier of the operator API. There are few tiers, so they are not paged.
import { z } from 'zod';
import type { ImagePulls } from '../../macs/app/image-pulls.js';
import { tierFieldsShape, tierImageShape, tierImageView, tierView } from '../../macs/http/tier-view.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { OperatorLists } from '../app/operator-lists.js';

const tierShape = z
  .object({
    ...tierFieldsShape,
    slots: z
      .object({ free: count, used: count, unsellable: count })
      .meta({ description: 'unsellable: the host takes no new Macs, or has another organization' }),
  })
  .meta({ id: 'OperatorTier' });

export function createOperatorTierRoutes(deps: {
  readonly lists: Pick<OperatorLists, 'tiers'>;
  readonly images: Pick<ImagePulls, 'list' | 'show'>;
}): AnyRoute[] {
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
    route({
      method: 'GET',
      path: '/v1/images',
      operationId: 'listImages',
      level: 'read',
      summary: 'The images of all tiers, and their state on each host',
      responses: { 200: z.object({ images: z.array(tierImageShape) }).meta({ id: 'TierImages' }) },
      async handle() {
        return { status: 200, body: { images: (await deps.images.list()).map(tierImageView) } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/images/:tier',
      operationId: 'getImage',
      level: 'read',
      summary: 'What the image of a tier offers, and which hosts have it',
      params: z.object({ tier: z.string() }),
      invalidParams: 'invalid_tier',
      responses: { 200: tierImageShape },
      errors: ['invalid_tier'],
      async handle({ params }) {
        return { status: 200, body: tierImageView(await deps.images.show(params.tier)) };
      },
    }),
  ];
}
