// GET /v1/problems of the operator API.
import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { OperatorNotices } from '../app/operator-notices.js';
import { openProblemShape, openProblemView, summaryShapes, summaryView } from './notice-view.js';

const NOTICES = 20;

export function createProblemRoutes(deps: {
  readonly notices: Pick<OperatorNotices, 'open' | 'list'>;
  readonly limits: Limits;
}): AnyRoute[] {
  const { notices, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/problems',
      operationId: 'listProblems',
      level: 'read',
      summary: 'Problems of hosts and capacity now, and the last notices about them',
      query: z.object({ limit: pageParams(limits).limit.meta({ description: 'Of problems' }) }),
      responses: {
        200: z
          .object({
            total: count.meta({ description: 'Number of problems' }),
            problems: z.array(openProblemShape),
            notices: z.array(
              z.object({
                id: z.string(),
                kind: z.string(),
                resolved: z.boolean(),
                ...summaryShapes,
                created_at: time,
              }),
            ),
          })
          .meta({ id: 'OperatorProblems' }),
      },
      async handle({ query: { limit = limits.list_limit_default } }) {
        const open = await notices.open();
        const sent = await notices.list(NOTICES);
        return {
          status: 200,
          body: {
            total: open.length,
            problems: open.slice(0, limit).map(openProblemView),
            notices: sent.map(({ notice }) => ({
              id: notice.noticeId,
              kind: notice.kind,
              resolved: notice.resolved,
              ...summaryView(notice),
              created_at: isoTime(notice.createdAt),
            })),
          },
        };
      },
    }),
  ];
}
