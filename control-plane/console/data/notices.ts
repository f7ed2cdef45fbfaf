import { listNotices, markNoticeRead } from '../../../client/operations/console.js';
import { call, send } from './api.js';
import { forgetKeys, pagesBefore, useChange } from './queries.js';
import { sessionQuery } from './session.js';

const PAGE = 30;

export const noticesQuery = (orgId: string) =>
  pagesBefore([orgId, 'notices'], (before) => call(listNotices, orgId, { limit: PAGE, before }));

/** Marks the notice and all older ones as read. */
export const useMarkRead = (orgId: string) =>
  useChange(
    (noticeId: string) => send(call(markNoticeRead, orgId, noticeId)),
    // The session has the number of unread ones.
    () => forgetKeys([orgId, 'notices'], sessionQuery.queryKey),
  );
