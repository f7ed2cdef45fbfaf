import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Workspace, WorkspaceList } from '../../../client/types.js';
import { request } from './api.js';
import { queryClient } from './query-client.js';
import { orgPath, type Place } from './query-text.js';
import { sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const workspacesQuery = (place: At) =>
  queryOptions({
    queryKey: [place.id, 'workspaces'],
    queryFn: ({ signal }) => request<WorkspaceList>('GET', orgPath(place, '/workspaces'), { signal }),
  });

/** The session has the workspaces of the switcher. */
const changed = (place: At) => async () => {
  const stale = [[place.id, 'workspaces'], [place.id, 'members'], sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
};

const pathOf = (place: At, id: string) => orgPath(place, `/workspaces/${encodeURIComponent(id)}`);

export const useCreateWorkspace = (place: At) =>
  useMutation({
    mutationFn: (name: string) => request<Workspace>('POST', orgPath(place, '/workspaces'), { body: { name } }),
    onSuccess: changed(place),
  });

export const useRenameWorkspace = (place: At) =>
  useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      request<Workspace>('PATCH', pathOf(place, id), { body: { name } }),
    onSuccess: changed(place),
  });

export const useRemoveWorkspace = (place: At) =>
  useMutation({
    mutationFn: (id: string) => request<null>('DELETE', pathOf(place, id)),
    onSuccess: changed(place),
  });
