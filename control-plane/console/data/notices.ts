import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type { NoticeList } from '../../../client/types.js';
import { request } from './api.js';
import { queryClient } from './query-client.js';
import { orgPath } from './query-text.js';

const PAGE = 30;

export const noticesQuery = (orgId: string) =>
  infiniteQueryOptions({
    queryKey: [orgId, 'notices'],
    queryFn: ({ signal, pageParam }) =>
      request<NoticeList>('GET', orgPath({ id: orgId }, '/notices'), {
        query: { before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });

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
  useMutation({
    mutationFn: (noticeId: string) =>
      request<null>('POST', orgPath({ id: orgId }, `/notices/${encodeURIComponent(noticeId)}/read`)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [orgId, 'notices'] }),
  });
