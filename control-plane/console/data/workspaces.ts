import {
  createWorkspace,
  listWorkspaces,
  removeWorkspace,
  renameWorkspace,
} from '../../../client/operations/console.js';
import { call, send } from './api.js';
import type { Place } from './place.js';
import { forgetKeys, readQuery, useChange } from './queries.js';
import { sessionQuery } from './session.js';

type At = Pick<Place, 'id'>;

export const workspacesQuery = (place: At) => readQuery([place.id, 'workspaces'], call(listWorkspaces, place.id));

/** The session has the workspaces of the switcher. */
const changed = (place: At) => () => forgetKeys([place.id, 'workspaces'], [place.id, 'members'], sessionQuery.queryKey);

export const useCreateWorkspace = (place: At) =>
  useChange((name: string) => send(call(createWorkspace, place.id, { name })), changed(place));

export const useRenameWorkspace = (place: At) =>
  useChange(
    ({ id, name }: { id: string; name: string }) => send(call(renameWorkspace, place.id, id, { name })),
    changed(place),
  );

export const useRemoveWorkspace = (place: At) =>
  useChange((id: string) => send(call(removeWorkspace, place.id, id)), changed(place));
