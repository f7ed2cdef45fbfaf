// Where the pages of a build read it from: an organization, or a link that shows it without a session.
import type { Method, Operation, SessionOperation } from '../../../client/operations/operation.js';
import { belowLink, inPlace, type Place } from './place.js';

export interface BuildSource {
  /** First part of the query keys: the organization's id, or `shared`. */
  readonly owner: string;
  /** Token of the link; null in an organization. */
  readonly token: string | null;
  /** Returns the operation as it is sent here. */
  readonly of: <M extends Method>(operation: Operation<M>) => SessionOperation<M>;
}

/** All workspaces: the address of a build does not say which one it is in. */
export const sourceInOrganization = ({ id }: Pick<Place, 'id'>): BuildSource => ({
  owner: id,
  token: null,
  of: (operation) => inPlace({ id, workspace: null }, operation),
});

export const sourceOfLink = (token: string): BuildSource => ({
  owner: 'shared',
  token,
  of: (operation) => belowLink(token, operation),
});
