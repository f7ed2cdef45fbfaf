// GET /v1/notices and /v1/notices/:notice_id of the operator API, and the test notice.
import { z } from 'zod';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { operation } from '../../platform/http/operation.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { OperatorNotices } from '../app/operator-notices.js';
import { noticeShape, noticeView, openProblemShape, openProblemView } from './notice-view.js';

export function createNoticeRoutes(deps: {
  readonly notices: Pick<OperatorNotices, 'open' | 'list' | 'find'>;
  readonly limits: Limits;
}): AnyRoute[] {
  const { notices, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/notices',
      operationId: 'listNotices',
      level: 'read',
      summary: 'Open problems of hosts and capacity, and the last notices, newest first',
      query: z.object({ newest: pageParams(limits).limit.meta({ description: 'How many notices' }) }),
      responses: {
        200: z
          .object({ open: z.array(openProblemShape), notices: z.array(noticeShape) })
          .meta({ id: 'OperatorNotices' }),
      },
      async handle({ query: { newest = limits.list_limit_default } }) {
        const open = (await notices.open()).map(openProblemView);
        return { status: 200, body: { open, notices: (await notices.list(newest)).map(noticeView) } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/notices/:notice_id',
      operationId: 'getNotice',
      level: 'read',
      summary: 'One notice, and what became of its mails and webhook',
      params: z.object({ notice_id: z.string() }),
      invalidParams: 'not_found',
      responses: { 200: noticeShape },
      errors: ['not_found'],
      async handle({ params }) {
        const found = await notices.find(params.notice_id);
        if (!found) throw new ApiError('not_found');
        return { status: 200, body: noticeView(found) };
      },
    }),
  ];
}

export const testNotice = operation<{ readonly notices: Pick<OperatorNotices, 'test' | 'find'> }>()({
  name: 'notices.test',
  summary: 'Send a test by mail and webhook',
  input: z.object({}),
  output: z.object({ notice: noticeShape }),
  audit: { name: 'notices.test', concerns: [] },
  confirm: false,
  access: 'console',
  async run({ notices }, _input, { record }) {
    const notice = await notices.test(record(({ noticeId }) => ({ target: noticeId })));
    return { notice: noticeView({ notice, mails: [] }) };
  },
});
