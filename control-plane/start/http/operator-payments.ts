// GET /v1/payments of the operator API.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { OperatorLists } from '../app/operator-lists.js';
import { paymentShape, paymentView } from './unsettled-payment-view.js';

export function createOperatorPaymentRoutes(deps: {
  readonly lists: Pick<OperatorLists, 'unsettled'>;
  readonly limits: Limits;
}): AnyRoute[] {
  const { lists, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/payments',
      operationId: 'listPayments',
      level: 'read',
      summary: 'Payments and refunds that are not settled with the provider, the newest first',
      query: z.object(pageParams(limits)),
      responses: {
        200: z.object({ data: z.array(paymentShape), next_cursor: nextCursor }).meta({ id: 'UnsettledPaymentPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor = null } = query;
        const found = await lists.unsettled({ before: cursor, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, (one) => ({ at: one.createdAt, id: one.id }));
        return { status: 200, body: { data: page.map(paymentView), next_cursor: next } };
      },
    }),
  ];
}
