import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type { InviteList, Member, MemberList, NewInvite } from '../../../client/types.js';
import { request } from './api.js';
import { queryClient } from './query-client.js';
import { orgPath, type Place } from './query-text.js';
import { type Role, sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const membersQuery = (place: At) =>
  infiniteQueryOptions({
    queryKey: [place.id, 'members'],
    queryFn: ({ pageParam, signal }) =>
      request<MemberList>('GET', orgPath(place, '/members'), { query: { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const invitesQuery = (place: At) =>
  queryOptions({
    queryKey: [place.id, 'invites'],
    queryFn: ({ signal }) => request<InviteList>('GET', orgPath(place, '/invites'), { signal }),
  });

const changed = (place: At) => async () => {
  const nouns = ['members', 'invites', 'workspaces'].map((noun) => [place.id, noun]);
  const stale = [...nouns, sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
};

export interface InviteWish {
  readonly email: string;
  readonly role: Role;
  readonly workspace_ids?: readonly string[] | undefined;
}

/** Also sends an invitation again: a new one of the same address replaces it. */
export const useInvite = (place: At) =>
  useMutation({
    mutationFn: (body: InviteWish) => request<NewInvite>('POST', orgPath(place, '/invites'), { body }),
    onSuccess: changed(place),
  });

export const useRevokeInvite = (place: At) =>
  useMutation({
    mutationFn: (id: string) => request<null>('DELETE', orgPath(place, `/invites/${encodeURIComponent(id)}`)),
    onSuccess: changed(place),
  });

export interface MemberChange {
  readonly role: Role;
  readonly workspace_ids?: readonly string[] | undefined;
}

export const useChangeMember = (place: At) =>
  useMutation({
    mutationFn: ({ id, change }: { id: string; change: MemberChange }) =>
      request<Member>('PATCH', orgPath(place, `/members/${encodeURIComponent(id)}`), { body: change }),
    onSuccess: changed(place),
  });

const remove = (place: At) => (id: string) =>
  request<null>('DELETE', orgPath(place, `/members/${encodeURIComponent(id)}`));

export const useRemoveMember = (place: At) => useMutation({ mutationFn: remove(place), onSuccess: changed(place) });

/**
 * Removes the signed-in person.
 *
 * @param onLeft called when the session no longer has the organization, even if its pages, and with them the one that asked,
 *   are gone by then
 */
export const useLeave = (place: At, onLeft: () => void) =>
  useMutation({
    mutationFn: remove(place),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, refetchType: 'all' });
      onLeft();
    },
  });
