// The invitation of the address, which has its token in the fragment.
import { queryOptions } from '@tanstack/react-query';
import { acceptInvite, lookUpInvite } from '../../../client/operations/console.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { takeSession } from './session.js';

export const openInviteQuery = (token: string) =>
  queryOptions({
    queryKey: ['invite', token],
    queryFn: ({ signal }) => send(call(lookUpInvite, { token }), { signal }),
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
    mutationFn: (body: Acceptance) => send(call(acceptInvite, body)),
    onSuccess: takeSession,
  });
