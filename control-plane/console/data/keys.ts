import type { ApiKey, ApiKeyList, NewApiKey } from '../../../client/types.js';
import { request } from './api.js';
import { forget, pagesByCursor, useChange } from './queries.js';
import { orgPath, type Place } from './query-text.js';

type At = Pick<Place, 'id'>;

export type KeyLevel = ApiKey['levels'][number];

export interface KeyFilter {
  readonly state?: 'usable' | 'leaked' | undefined;
  /** User id. */
  readonly created_by?: string | undefined;
  readonly workspace_id?: string | undefined;
}

export const keysQuery = (place: At, filter: KeyFilter) =>
  pagesByCursor<ApiKeyList>([place.id, 'keys', filter], orgPath(place, '/api-keys'), { ...filter });

/** The keys of the loaded pages. */
export const keysOf = (data: { readonly pages: readonly ApiKeyList[] } | undefined) =>
  data?.pages.flatMap((page) => page.data) ?? [];

const changed = (place: At) => () => forget(place.id, 'keys');

export interface KeyWish {
  readonly name: string;
  readonly levels: readonly KeyLevel[];
  readonly cidrs: readonly string[];
  readonly expires_at: string | null;
  readonly workspace_id: string | null;
}

export const useCreateKey = (place: At) =>
  useChange((body: KeyWish) => request<NewApiKey>('POST', orgPath(place, '/api-keys'), { body }), changed(place));

export const useRevokeKey = (place: At) =>
  useChange(
    (id: string) => request<null>('DELETE', orgPath(place, `/api-keys/${encodeURIComponent(id)}`)),
    changed(place),
  );

export type KeyState = 'active' | 'expired' | 'revoked' | 'leaked';

/** @param now ms */
export function stateOfKey({ revoked_at, revoked_reason, expires_at }: ApiKey, now: number): KeyState {
  if (revoked_at !== null) return revoked_reason === 'leaked' ? 'leaked' : 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
