// GET /v1/waitlist of the operator API.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { ListedEntry, OperatorLists } from '../app/operator-lists.js';
import { organizationRef, organizationRefShape } from './fleet-view.js';

export function createOperatorWaitlistRoutes(deps: {
  readonly lists: Pick<OperatorLists, 'waiting'>;
  readonly limits: Limits;
}): AnyRoute[] {
  const { lists, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/waitlist',
      operationId: 'listWaitlist',
      level: 'read',
      summary: 'Waitlist entries, in the order in which they are served',
      query: z.object({ ...pageParams(limits), tier: z.string().optional() }),
      responses: {
        200: z
          .object({
            data: z.array(
              z
                .object({
                  id: z.string(),
                  organization: organizationRefShape,
                  tier: z.string(),
                  units: count,
                  status: z.enum(['waiting', 'notified']),
                  created_at: time,
                  notified_at: time.nullable(),
                })
                .meta({ id: 'OperatorWaitlistEntry' }),
            ),
            next_cursor: nextCursor,
          })
          .meta({ id: 'OperatorWaitlistPage' }),
      },
      async handle({ query }) {
        const { limit = limits.list_limit_default, cursor, tier = null } = query;
        const found = await lists.waiting({ tier, afterSeq: cursor?.at ?? 0, limit: limit + 1 });
        const { page, next } = pageOf(found, limit, ({ seq }) => ({ at: seq, id: 'w' }));
        return { status: 200, body: { data: page.map(entryView), next_cursor: next } };
      },
    }),
  ];
}

const entryView = (entry: ListedEntry) => ({
  id: entry.entryId,
  organization: organizationRef(entry.organization),
  tier: entry.tier,
  units: entry.units,
  status: entry.status,
  created_at: isoTime(entry.createdAt),
  notified_at: isoTime(entry.notifiedAt),
});
