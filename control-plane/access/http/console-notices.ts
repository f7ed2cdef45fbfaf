// GET /v1/organizations/:org_id/notices.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { beforeParam, integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, nextBefore } from '../../platform/http/values.js';
import type { Notices } from '../app/notices.js';
import type { Notice } from '../domain/notice.js';

const noticeTextShape = z.object({ subject: z.string(), text: z.string() });

const noticeShape = z
  .object({
    id: z.string(),
    kind: z.string(),
    subject: z.string(),
    text: z.string(),
    translations: z
      .object({ ko: noticeTextShape.optional() })
      .meta({ description: 'Of `subject` and `text`, by language' }),
    created_at: z.string(),
    read: z.boolean().meta({ description: 'Whether the person who asks has read the notice' }),
  })
  .meta({ id: 'Notice' });

function noticeView({
  noticeId,
  createdAt,
  ...notice
}: Notice & { readonly read: boolean }): z.infer<typeof noticeShape> {
  return { id: noticeId, ...notice, created_at: new Date(createdAt).toISOString() };
}

export interface NoticeRoutesDeps {
  readonly notices: Notices;
  readonly limits: Limits;
}

export function createNoticeRoutes({ notices, limits }: NoticeRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/notices',
      operationId: 'listNotices',
      level: 'read',
      consoleOnly: true,
      summary: 'Notices to the organization, newest first',
      query: z.object({
        limit: integerParam(1, limits.list_limit_max).optional(),
        before: beforeParam.optional(),
      }),
      responses: {
        200: z
          .object({
            data: z.array(noticeShape),
            next_before: nextBefore,
            unread: count.meta({ description: 'Of the person who asks; counted up to 100' }),
          })
          .meta({ id: 'NoticeList' }),
      },
      errors: ['not_found'],
      async handle({ caller, session, query }) {
        const reader = { accountId: caller.account.id, userId: session.userId };
        const page = { before: query.before ?? null, limit: query.limit ?? limits.list_limit_default };
        const found = await notices.list(reader, page);
        return {
          status: 200,
          body: {
            data: found.notices.map(noticeView),
            next_before: found.nextBefore,
            unread: found.unread,
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/organizations/:org_id/notices/:notice_id/read',
      operationId: 'markNoticeRead',
      level: 'read',
      action: null,
      beyondRecordsLimit: 'person',
      consoleOnly: true,
      summary: 'Mark the notice and all older ones as read by the person',
      params: z.object({ org_id: z.string(), notice_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ caller, session, params }) {
        await notices.read({ accountId: caller.account.id, userId: session.userId }, params.notice_id);
        return { status: 204, body: null };
      },
    }),
  ];
}
