// GET /v1/organizations/:org_id/notices.
import { z } from 'zod';
import type { Limits } from '../../platform/domain/limits.js';
import { messageShape } from '../../platform/http/message-view.js';
import { beforeParam, integerParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, nextBefore } from '../../platform/http/values.js';
import type { Notices } from '../app/notices.js';
import { type Notice, textIn } from '../domain/notice.js';

const noticeShape = z
  .object({
    id: z.string(),
    kind: z.string(),
    code: z.string().meta({ description: 'Identifies the subject and the text' }),
    params: messageShape.shape.params.meta({ description: 'The values in both, by name' }),
    subject: z.string().meta({ description: 'In English, as `text`' }),
    text: z.string(),
    created_at: z.string(),
    read: z.boolean().meta({ description: 'Whether the person who asks has read the notice' }),
  })
  .meta({ id: 'Notice' });

function noticeView({
  noticeId: id,
  createdAt,
  params,
  ...notice
}: Notice & { readonly read: boolean }): z.infer<typeof noticeShape> {
  const { subject, text } = textIn('en', { code: notice.code, params });
  return { id, ...notice, params: { ...params }, subject, text, created_at: new Date(createdAt).toISOString() };
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
