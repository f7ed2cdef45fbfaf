import {
  changeMember,
  createInvite,
  listInvites,
  listMembers,
  removeMember,
  revokeInvite,
} from '../../../client/operations/console.js';
import type { ArgumentsOf } from '../../../client/operations/operation.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import type { Place } from './place.js';
import { forgetKeys, pagesByCursor, readQuery, useChange } from './queries.js';
import { queryClient } from './query-client.js';
import { sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const membersQuery = (place: At) =>
  pagesByCursor([place.id, 'members'], (cursor) => call(listMembers, place.id, { cursor }));

export const invitesQuery = (place: At) => readQuery([place.id, 'invites'], call(listInvites, place.id));

const changed = (place: At) => () =>
  forgetKeys(...['members', 'invites', 'workspaces'].map((noun) => [place.id, noun]), sessionQuery.queryKey);

export type InviteWish = ArgumentsOf<typeof createInvite>[1];

/** Also sends an invitation again: a new one of the same address replaces it. */
export const useInvite = (place: At) =>
  useChange((body: InviteWish) => send(call(createInvite, place.id, body)), changed(place));

export const useRevokeInvite = (place: At) =>
  useChange((id: string) => send(call(revokeInvite, place.id, id)), changed(place));

export type MemberChange = ArgumentsOf<typeof changeMember>[2];

export const useChangeMember = (place: At) =>
  useChange(
    ({ id, change }: { id: string; change: MemberChange }) => send(call(changeMember, place.id, id, change)),
    changed(place),
  );

const remove = (place: At) => (id: string) => send(call(removeMember, place.id, id));

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
