// Addresses of the API.

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Returns the query of an address, with `?`, or `&` if the path has one already. Values that are null, undefined or ''
 * are left out.
 *
 * @example queryText('/builds', { status: 'failed', repo: '' }) // '?status=failed'
 */
export function queryText(path: string, query: Query = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') pairs.append(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `${path.includes('?') ? '&' : '?'}${text}`;
}

/** What a page is about: an organization, and one of its workspaces or all. */
export interface Place {
  readonly id: string;
  /** Null: all workspaces. */
  readonly workspace: string | null;
}

/**
 * Returns the path of an endpoint of the API for sessions, with the selected workspace.
 *
 * @example apiPath(org, '/builds') // '/v1/organizations/org_1/agent/builds?workspace_id=ws_1'
 */
export function apiPath({ id, workspace }: Place, path: string): string {
  const full = `${orgPath({ id }, '/agent')}${path}`;
  return full + queryText(full, { workspace_id: workspace });
}

/** @example orgPath(org, '/members') // '/v1/organizations/org_1/members' */
export const orgPath = ({ id }: Pick<Place, 'id'>, path: string): string =>
  `/v1/organizations/${encodeURIComponent(id)}${path}`;
