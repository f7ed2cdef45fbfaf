import { useMutation } from '@tanstack/react-query';
import type { InviteList, Member, MemberList, NewInvite } from '../../../client/types.js';
import { request } from './api.js';
import { forgetKeys, pagesByCursor, readQuery, useChange } from './queries.js';
import { queryClient } from './query-client.js';
import { orgPath, type Place } from './query-text.js';
import { type Role, sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const membersQuery = (place: At) => pagesByCursor<MemberList>([place.id, 'members'], orgPath(place, '/members'));

export const invitesQuery = (place: At) => readQuery<InviteList>([place.id, 'invites'], orgPath(place, '/invites'));

const changed = (place: At) => () =>
  forgetKeys(...['members', 'invites', 'workspaces'].map((noun) => [place.id, noun]), sessionQuery.queryKey);

export interface InviteWish {
  readonly email: string;
  readonly role: Role;
  readonly workspace_ids?: readonly string[] | undefined;
}

/** Also sends an invitation again: a new one of the same address replaces it. */
export const useInvite = (place: At) =>
  useChange((body: InviteWish) => request<NewInvite>('POST', orgPath(place, '/invites'), { body }), changed(place));

export const useRevokeInvite = (place: At) =>
  useChange(
    (id: string) => request<null>('DELETE', orgPath(place, `/invites/${encodeURIComponent(id)}`)),
    changed(place),
  );

export interface MemberChange {
  readonly role: Role;
  readonly workspace_ids?: readonly string[] | undefined;
}

export const useChangeMember = (place: At) =>
  useChange(
    ({ id, change }: { id: string; change: MemberChange }) =>
      request<Member>('PATCH', orgPath(place, `/members/${encodeURIComponent(id)}`), { body: change }),
    changed(place),
  );

const remove = (place: At) => (id: string) =>
  request<null>('DELETE', orgPath(place, `/members/${encodeURIComponent(id)}`));

export const useRemoveMember = (place: At) => useChange(remove(place), changed(place));

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
