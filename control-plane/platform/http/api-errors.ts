// GET /errors: recent API errors and failed builds.
import { z } from 'zod';
import type { ApiErrors } from '../app/api-errors.js';
import { scopeOf } from '../domain/caller.js';
import type { Limits } from '../domain/limits.js';
import { errorKind, errorListShape, recordedErrorView, recordedFault } from './errors-view.js';
import { beforeParam, integerParam, momentParam } from './query.js';
import { type AnyRoute, route } from './route.js';

export interface ErrorRoutesDeps {
  readonly apiErrors: ApiErrors;
  readonly limits: Limits;
}

/** Id of an entry; the page contains older entries only. */
const errorId = beforeParam.regex(/^\d{1,15}$/, 'not a next_before of an earlier page').transform(Number);

export function createErrorRoutes({ apiErrors, limits }: ErrorRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/errors',
      operationId: 'listErrors',
      level: 'read',
      summary: 'Recent API errors and failed builds',
      query: z.object({
        fault: z.enum(recordedFault.options).optional().meta({ description: 'Only errors that this side has to fix' }),
        code: z.string().max(100).optional(),
        kind: errorKind.optional(),
        since: momentParam('Since').optional(),
        key: z.literal('self').optional().meta({ description: 'Only what the calling key itself caused' }),
        limit: integerParam(1, limits.list_limit_max).optional(),
        before: errorId.optional(),
      }),
      invalidQueryField: { since: 'invalid_time' },
      responses: { 200: errorListShape },
      async handle({ caller, query }) {
        const limit = query.limit ?? limits.list_limit_default;
        const found = await apiErrors.list(scopeOf(caller), {
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
