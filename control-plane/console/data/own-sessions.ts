import { useMutation } from '@tanstack/react-query';
import type { OwnSessionList, Session } from '../../../client/types.js';
import type { Language } from '../../../shared/language.js';
import { request } from './api.js';
import { readQuery } from './queries.js';
import { queryClient } from './query-client.js';
import { sessionQuery, takeSession } from './session.js';

export const ownSessionsQuery = readQuery<OwnSessionList>(['sessions'], '/v1/sessions');

export const useEndSession = () =>
  useMutation({
    mutationFn: (id: string) => request<null>('DELETE', `/v1/sessions/${encodeURIComponent(id)}`),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  });

/** Name, and language of mails. */
export const useChangeProfile = () =>
  useMutation({
    mutationFn: (body: { name?: string; language?: Language }) =>
      request<Session>('PATCH', '/v1/session/user', { body }),
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  });

/** All other sessions of the person end. */
export const useChangePassword = () =>
  useMutation({
    mutationFn: (body: { current: string; new: string }) => request<Session>('POST', '/v1/session/password', { body }),
    onSuccess: takeSession,
  });
