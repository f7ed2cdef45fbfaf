import { queryOptions, useMutation } from '@tanstack/react-query';
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
import { forget, pagesBefore, pagesByCursor, readQuery } from './queries.js';
import { apiPath, type Place } from './query-text.js';

const PAGE = 50;

export const macsQuery = (org: Place) =>
  pagesByCursor<RentalList>([org.id, 'macs', org.workspace], apiPath(org, '/rentals'), { limit: PAGE });

/** The Macs of the loaded pages. */
export const macsOf = (data: { readonly pages: readonly RentalList[] } | undefined) =>
  data?.pages.flatMap(({ rentals }) => rentals);

const rentalPath = (org: Place, rentalId: string, rest = '') =>
  apiPath(org, `/rentals/${encodeURIComponent(rentalId)}${rest}`);

export const macQuery = (org: Place, rentalId: string) =>
  readQuery<RentalDetail>([org.id, 'mac', rentalId, org.workspace], rentalPath(org, rentalId));

const HISTORY_PAGE = 20;

export const historyQuery = (org: Place, rentalId: string) =>
  pagesBefore<MacHistory>([org.id, 'mac', rentalId, 'history'], rentalPath(org, rentalId, '/history'), {
    limit: HISTORY_PAGE,
  });

const LAST_BUILDS = 8;

/** The builds that ran on the Mac, newest first. */
export const buildsOfMacQuery = (org: Place, rentalId: string) =>
  readQuery<BuildPage>([org.id, 'builds', 'of-mac', rentalId, org.workspace], apiPath(org, '/builds'), {
    rental_id: rentalId,
    limit: LAST_BUILDS,
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

export const useReset = (org: Place, rentalId: string) =>
  useMutation({
    mutationFn: ({ keepCache, when }: Reset) =>
      request<AcceptedOperation>('POST', rentalPath(org, rentalId, '/reset'), {
        body: { keep_cache: keepCache, ...optional(when) },
        headers: { 'idempotency-key': newKey() },
      }),
    onSettled: () => forgetMacs(org),
  });

export const useSetUp = (org: Place, rentalId: string) =>
  useMutation({
    mutationFn: (body: SetupChange) =>
      request<AcceptedOperation>('PATCH', rentalPath(org, rentalId), {
        body,
        headers: { 'idempotency-key': newKey() },
      }),
    onSettled: () => forgetMacs(org),
  });

const forgetMacs = (org: Place) => forget(org.id, 'macs', 'mac', 'status', 'builds', 'queue');
