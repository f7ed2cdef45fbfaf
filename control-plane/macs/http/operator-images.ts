// GET /v1/images and /v1/images/:tier of the operator API. There are few tiers, so their images are not paged.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ImagePulls } from '../app/image-pulls.js';
import { tierImageShape, tierImageView } from './tier-view.js';

export function createOperatorImageRoutes({
  images,
}: {
  readonly images: Pick<ImagePulls, 'list' | 'show'>;
}): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/images',
      operationId: 'listImages',
      level: 'read',
      summary: 'The images of all tiers, and their state on each host',
      responses: { 200: z.object({ images: z.array(tierImageShape) }).meta({ id: 'TierImages' }) },
      async handle() {
        return { status: 200, body: { images: (await images.list()).map(tierImageView) } };
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
        return { status: 200, body: tierImageView(await images.show(params.tier)) };
      },
    }),
  ];
}
