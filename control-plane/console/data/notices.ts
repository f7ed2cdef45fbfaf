import { queryOptions } from '@tanstack/react-query';
import type { NoticeList } from '../../../client/types.js';
import { request } from './api.js';
import { forget, pagesBefore, useChange } from './queries.js';
import { orgPath } from './query-text.js';

const PAGE = 30;

export const noticesQuery = (orgId: string) =>
  pagesBefore<NoticeList>([orgId, 'notices'], orgPath({ id: orgId }, '/notices'), { limit: PAGE });

/** The number of unread notices, counted up to 100. */
export const unreadQuery = (orgId: string) =>
  queryOptions({
    queryKey: [orgId, 'notices', 'unread'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1 };
      return (await request<NoticeList>('GET', orgPath({ id: orgId }, '/notices'), { query, signal })).unread;
    },
  });

/** Marks the notice and all older ones as read. */
export const useMarkRead = (orgId: string) =>
  useChange(
    (noticeId: string) =>
      request<null>('POST', orgPath({ id: orgId }, `/notices/${encodeURIComponent(noticeId)}/read`)),
    () => forget(orgId, 'notices'),
  );
