// GET /catalog, GET /pool.

import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Catalog } from '../app/catalog.js';
import { catalogShape, catalogTierView, poolShape, poolTierView } from './catalog-view.js';

export interface CatalogRoutesDeps {
  readonly catalog: Catalog;
}

export function createCatalogRoutes({ catalog }: CatalogRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/catalog',
      operationId: 'getCatalog',
      level: 'read',
      summary: 'Tiers: price, specification, availability',
      responses: { 200: catalogShape },
      async handle({ caller }) {
        const tiers = await catalog.list(caller.account);
        return { status: 200, body: { tiers: tiers.map(catalogTierView) } };
      },
    }),
    route({
      method: 'GET',
      path: '/pool',
      operationId: 'getPool',
      level: 'read',
      summary: 'Free and used Macs of every tier. Also how many builds of the account run and wait.',
      responses: { 200: poolShape },
      async handle({ caller }) {
        const [tiers, queue] = await Promise.all([
          catalog.list(caller.account),
          catalog.queueCounts(caller.account.id),
        ]);
        return {
          status: 200,
          body: {
            tiers: tiers.map(({ availability }) => poolTierView(availability)),
            queue: { running_count: queue.running, queued_count: queue.queued },
          },
        };
      },
    }),
  ];
}
