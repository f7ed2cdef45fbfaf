// GET /rentals/:rental_id/history.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { beforeParam, integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { MacHistory } from '../app/mac-history.js';
import { historyShape, historyView } from './mac-history-view.js';

export interface MacHistoryRoutesDeps {
  readonly history: MacHistory;
  readonly limits: Limits;
}

const position = beforeParam.regex(/^\d{1,15}$/, 'not a next_before of an earlier page').transform(Number);

export function createMacHistoryRoutes({ history, limits }: MacHistoryRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/rentals/:rental_id/history',
      operationId: 'getRentalHistory',
      level: 'read',
      summary: 'States of a Mac, newest first',
      params: z.object({ rental_id: z.string() }),
      invalidParams: 'rental_not_found',
      query: z.object({
        limit: integerParam(1, limits.list_limit_max).optional(),
        before: position.optional(),
      }),
      responses: { 200: historyShape },
      errors: ['rental_not_found'],
      async handle({ caller, params, query }) {
        const { before = null, limit = limits.list_limit_default } = query;
        const page = await history.read(caller.account.id, params.rental_id, { before, limit });
        return { status: 200, body: historyView(page) };
      },
    }),
  ];
}
