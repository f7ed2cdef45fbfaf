// The invitation of the address, which has its token in the fragment.
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { OpenInvite, Session } from '../../../client/types.js';
import { request } from './api.js';
import { takeSession } from './session.js';

export const openInviteQuery = (token: string) =>
  queryOptions({
    queryKey: ['invite', token],
    queryFn: ({ signal }) => request<OpenInvite>('POST', '/v1/invites/lookup', { body: { token }, signal }),
    retry: false,
    enabled: token !== '',
  });

export interface Acceptance {
  readonly token: string;
  readonly name?: string;
  readonly password?: string;
}

export const useAcceptInvite = () =>
  useMutation({
    mutationFn: (body: Acceptance) => request<Session>('POST', '/v1/invites/accept', { body }),
    onSuccess: takeSession,
  });
