import { queryOptions } from '@tanstack/react-query';
import { listNotices, markNoticeRead } from '../../../client/operations/console.js';
import { call, send } from './api.js';
import { forget, pagesBefore, useChange } from './queries.js';

const PAGE = 30;

export const noticesQuery = (orgId: string) =>
  pagesBefore([orgId, 'notices'], (before) => call(listNotices, orgId, { limit: PAGE, before }));

/** The number of unread notices, counted up to 100. */
export const unreadQuery = (orgId: string) =>
  queryOptions({
    queryKey: [orgId, 'notices', 'unread'],
    queryFn: async ({ signal }) => (await send(call(listNotices, orgId, { limit: 1 }), { signal })).unread,
  });

/** Marks the notice and all older ones as read. */
export const useMarkRead = (orgId: string) =>
  useChange(
    (noticeId: string) => send(call(markNoticeRead, orgId, noticeId)),
    () => forget(orgId, 'notices'),
  );
