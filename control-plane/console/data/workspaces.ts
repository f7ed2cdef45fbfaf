import type { Workspace, WorkspaceList } from '../../../client/types.js';
import { request } from './api.js';
import { forgetKeys, readQuery, useChange } from './queries.js';
import { orgPath, type Place } from './query-text.js';
import { sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const workspacesQuery = (place: At) =>
  readQuery<WorkspaceList>([place.id, 'workspaces'], orgPath(place, '/workspaces'));

/** The session has the workspaces of the switcher. */
const changed = (place: At) => () => forgetKeys([place.id, 'workspaces'], [place.id, 'members'], sessionQuery.queryKey);

const pathOf = (place: At, id: string) => orgPath(place, `/workspaces/${encodeURIComponent(id)}`);

export const useCreateWorkspace = (place: At) =>
  useChange(
    (name: string) => request<Workspace>('POST', orgPath(place, '/workspaces'), { body: { name } }),
    changed(place),
  );

export const useRenameWorkspace = (place: At) =>
  useChange(
    ({ id, name }: { id: string; name: string }) => request<Workspace>('PATCH', pathOf(place, id), { body: { name } }),
    changed(place),
  );

export const useRemoveWorkspace = (place: At) =>
  useChange((id: string) => request<null>('DELETE', pathOf(place, id)), changed(place));
