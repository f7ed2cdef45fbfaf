// GET /errors: what went wrong lately, API requests and builds.
import { z } from 'zod';
import type { ApiErrors } from '../../app/api-errors.js';
import type { Limits } from '../../domain/limits.js';
import { integerParam, timeParam } from '../query.js';
import { type AnyRoute, route } from '../route.js';
import { errorListShape, recordedErrorView } from './views/errors.js';

export interface ErrorRoutesDeps {
  readonly apiErrors: ApiErrors;
  readonly limits: Limits;
}

export function createErrorRoutes({ apiErrors, limits }: ErrorRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/errors',
      level: 'read',
      summary: 'Recent API errors and failed builds of the account, newest first',
      query: z.object({
        fault: z.enum(['client', 'platform', 'payment', 'capacity', 'customer', 'unknown']).optional(),
        code: z.string().max(100).optional(),
        kind: z.enum(['api', 'build']).optional(),
        since: timeParam().optional(),
        key: z.literal('self').optional(),
        limit: integerParam(1, limits.list_limit_max).optional(),
        before: integerParam(1, Number.MAX_SAFE_INTEGER).optional(),
      }),
      invalidQueryField: { since: 'invalid_time' },
      responses: { 200: errorListShape },
      async handle({ caller, query }) {
        const limit = query.limit ?? limits.list_limit_default;
        const found = await apiErrors.list(caller.account.id, {
          fault: query.fault ?? null,
          code: query.code ?? null,
          kind: query.kind ?? null,
          since: query.since ?? null,
          keyId: query.key === 'self' ? (caller.key?.id ?? null) : null,
          before: query.before ?? null,
          limit: limit + 1,
        });
        const page = found.slice(0, limit);
        const last = found.length > limit ? page.at(-1) : undefined;
        return {
          status: 200,
          body: { errors: page.map(recordedErrorView), next_before: last ? String(last.id) : null },
        };
      },
    }),
  ];
}
