import { createApiKey, listApiKeys, revokeApiKey } from '../../../client/operations/console.js';
import type { ArgumentsOf, Asked } from '../../../client/operations/operation.js';
import type { ApiKey, ApiKeyFilter, ApiKeyList } from '../../../client/types.js';
import { call, send } from './api.js';
import type { Place } from './place.js';
import { forget, pagesByCursor, useChange } from './queries.js';

type At = Pick<Place, 'id'>;

export type KeyLevel = ApiKey['levels'][number];

export type KeyFilter = Asked<Pick<ApiKeyFilter, 'state' | 'created_by' | 'workspace_id'>>;

export const keysQuery = (place: At, filter: KeyFilter) =>
  pagesByCursor([place.id, 'keys', filter], (cursor) => call(listApiKeys, place.id, { ...filter, cursor }));

/** The keys of the loaded pages. */
export const keysOf = (data: { readonly pages: readonly ApiKeyList[] } | undefined) =>
  data?.pages.flatMap((page) => page.data) ?? [];

const changed = (place: At) => () => forget(place.id, 'keys');

export type KeyWish = ArgumentsOf<typeof createApiKey>[1];

export const useCreateKey = (place: At) =>
  useChange((body: KeyWish) => send(call(createApiKey, place.id, body)), changed(place));

export const useRevokeKey = (place: At) =>
  useChange((id: string) => send(call(revokeApiKey, place.id, id)), changed(place));

export type KeyState = 'active' | 'expired' | 'revoked' | 'leaked';

/** @param now ms */
export function stateOfKey({ revoked_at, revoked_reason, expires_at }: ApiKey, now: number): KeyState {
  if (revoked_at !== null) return revoked_reason === 'leaked' ? 'leaked' : 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
