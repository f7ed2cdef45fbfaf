// GET /v1/organizations/:org_id/notices.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Notices } from '../app/notices.js';
import { noticeShape, noticeView } from './notice-view.js';

export interface NoticeRoutesDeps {
  readonly notices: Notices;
  readonly limits: Limits;
}

export function createNoticeRoutes({ notices, limits }: NoticeRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/notices',
      consoleOnly: true,
      summary: 'Notices to the organization, newest first',
      query: z.object({ limit: integerParam(1, limits.list_limit_max).optional() }),
      responses: { 200: z.object({ data: z.array(noticeShape) }).meta({ id: 'NoticeList' }) },
      async handle({ caller, query }) {
        const found = await notices.list(caller.account.id, query.limit ?? limits.list_limit_default);
        return { status: 200, body: { data: found.map(noticeView) } };
      },
    }),
  ];
}
