import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  AcceptedOperation,
  BuildPage,
  MacHistory,
  MultiExtensionQuote,
  RentalDetail,
  RentalList,
  SetupChange,
  When,
} from '../../../client/types.js';
import { request } from './api.js';
import { newKey } from './idempotency.js';
import { apiPath, type Place } from './query-text.js';

const PAGE = 50;

export const macsQuery = (org: Place) =>
  infiniteQueryOptions({
    queryKey: [org.id, 'macs', org.workspace],
    queryFn: ({ pageParam, signal }) =>
      request<RentalList>('GET', apiPath(org, '/rentals'), {
        query: { cursor: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The Macs of the loaded pages. */
export const macsOf = (data: { readonly pages: readonly RentalList[] } | undefined) =>
  data?.pages.flatMap(({ rentals }) => rentals);

const rentalPath = (org: Place, rentalId: string, rest = '') =>
  apiPath(org, `/rentals/${encodeURIComponent(rentalId)}${rest}`);

export const macQuery = (org: Place, rentalId: string) =>
  queryOptions({
    queryKey: [org.id, 'mac', rentalId, org.workspace],
    queryFn: ({ signal }) => request<RentalDetail>('GET', rentalPath(org, rentalId), { signal }),
  });

const HISTORY_PAGE = 20;

export const historyQuery = (org: Place, rentalId: string) =>
  infiniteQueryOptions({
    queryKey: [org.id, 'mac', rentalId, 'history'],
    queryFn: ({ pageParam, signal }) =>
      request<MacHistory>('GET', rentalPath(org, rentalId, '/history'), {
        query: { before: pageParam, limit: HISTORY_PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_before }) => next_before,
  });

const LAST_BUILDS = 8;

/** The builds that ran on the Mac, newest first. */
export const buildsOfMacQuery = (org: Place, rentalId: string) =>
  queryOptions({
    queryKey: [org.id, 'builds', 'of-mac', rentalId, org.workspace],
    queryFn: ({ signal }) =>
      request<BuildPage>('GET', apiPath(org, '/builds'), {
        query: { rental_id: rentalId, limit: LAST_BUILDS },
        signal,
      }),
  });

export const extensionQuoteQuery = (org: Place, rentalIds: readonly string[], hours: number) =>
  queryOptions({
    queryKey: [org.id, 'macs', 'extension', rentalIds, hours],
    queryFn: ({ signal }) =>
      request<MultiExtensionQuote>('POST', apiPath(org, '/rentals/extend/quote'), {
        body: { rental_ids: rentalIds, hours },
        signal,
      }),
    placeholderData: (before) => before,
  });

export interface Reset {
  /** True only empties the work folder. */
  readonly keepCache: boolean;
  readonly when: When | null;
}

const optional = (when: When | null) => (when === null ? {} : { when });

export function useReset(org: Place, rentalId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ keepCache, when }: Reset) =>
      request<AcceptedOperation>('POST', rentalPath(org, rentalId, '/reset'), {
        body: { keep_cache: keepCache, ...optional(when) },
        headers: { 'idempotency-key': newKey() },
      }),
    onSettled: () => forgetMacs(client, org),
  });
}

export function useSetUp(org: Place, rentalId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SetupChange) =>
      request<AcceptedOperation>('PATCH', rentalPath(org, rentalId), {
        body,
        headers: { 'idempotency-key': newKey() },
      }),
    onSettled: () => forgetMacs(client, org),
  });
}

async function forgetMacs(client: ReturnType<typeof useQueryClient>, org: Place) {
  const nouns = ['macs', 'mac', 'status', 'builds', 'queue'];
  await Promise.all(nouns.map((noun) => client.invalidateQueries({ queryKey: [org.id, noun] })));
}
