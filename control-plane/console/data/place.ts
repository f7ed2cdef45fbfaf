// Where the console uses the API for programs: it is mounted for the sessions of each organization, and below each link.
import type { Method, Operation, SessionOperation } from '../../../client/operations/operation.js';
import { queryText } from './query-text.js';

/** What a page is about: an organization, and one of its workspaces or all. */
export interface Place {
  readonly id: string;
  /** Null: all workspaces. */
  readonly workspace: string | null;
}

/**
 * Returns the operation as sessions send it, in the selected workspace.
 *
 * @example call(inPlace(org, listBuilds)).address // '/api/runner/v1/organizations/org_1/agent/builds?workspace_id=ws_1'
 */
export const inPlace = <M extends Method>(
  { id, workspace }: Place,
  { path, ...operation }: Operation<M>,
): SessionOperation<M> => ({
  ...operation,
  api: 'console',
  path: `/v1/organizations/${encodeURIComponent(id)}/agent${path}${queryText(path, { workspace_id: workspace })}`,
});

/** Returns the operation as anybody with the link to a build sends it. */
export const belowLink = <M extends Method>(
  token: string,
  { path, ...operation }: Operation<M>,
): SessionOperation<M> => ({
  ...operation,
  api: 'console',
  path: `/v1/shared/${encodeURIComponent(token)}/agent${path}`,
});
