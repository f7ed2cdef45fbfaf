// Where the pages of a build read it from: an organization, or a link that shows it without a session.
import { apiPath, type Place } from './query-text.js';

export interface BuildSource {
  /** First part of the query keys: the organization's id, or `shared`. */
  readonly owner: string;
  /** Token of the link; null in an organization. */
  readonly token: string | null;
  /** Root of the API, below `/api/runner`. */
  readonly root: string;
}

/** All workspaces: the address of a build does not say which one it is in. */
export const sourceInOrganization = ({ id }: Pick<Place, 'id'>): BuildSource => ({
  owner: id,
  token: null,
  root: apiPath({ id, workspace: null }, ''),
});

export const sourceOfLink = (token: string): BuildSource => ({
  owner: 'shared',
  token,
  root: `${linkPath(token)}/agent`,
});

export const linkPath = (token: string): string => `/v1/shared/${encodeURIComponent(token)}`;

/** @example buildPath(source, 'rb_1', '/failure') */
export const buildPath = ({ root }: BuildSource, id: string, rest = ''): string =>
  `${root}/builds/${encodeURIComponent(id)}${rest}`;
