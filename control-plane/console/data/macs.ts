import { queryOptions } from '@tanstack/react-query';
import {
  changeSetup,
  getRental,
  getRentalHistory,
  listBuilds,
  listRentals,
  quoteExtensions,
  resetRental,
} from '../../../client/operations/api.js';
import type { RentalList, SetupChange, When } from '../../../client/types.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { inPlace, type Place } from './place.js';
import { forget, pagesBefore, pagesByCursor, readQuery, unlessMissing } from './queries.js';

const PAGE = 50;

export const macsQuery = (org: Place) =>
  pagesByCursor([org.id, 'macs', org.workspace], (cursor) => call(inPlace(org, listRentals), { limit: PAGE, cursor }));

/** The first Macs whose name or id contains a text. */
export const macsFoundQuery = (org: Place, q: string, limit: number) =>
  readQuery([org.id, 'macs', 'found', q, limit, org.workspace], call(inPlace(org, listRentals), { q, limit }));

/** The Macs of the loaded pages. */
export const macsOf = (data: { readonly pages: readonly RentalList[] } | undefined) =>
  data?.pages.flatMap(({ rentals }) => rentals);

export const macQuery = (org: Place, rentalId: string) =>
  queryOptions({
    ...readQuery([org.id, 'mac', rentalId, org.workspace], call(inPlace(org, getRental), rentalId)),
    enabled: unlessMissing,
  });

const HISTORY_PAGE = 20;

export const historyQuery = (org: Place, rentalId: string) =>
  pagesBefore([org.id, 'mac', rentalId, 'history'], (before) =>
    call(inPlace(org, getRentalHistory), rentalId, { limit: HISTORY_PAGE, before }),
  );

const LAST_BUILDS = 8;

/** The builds that ran on the Mac, newest first. */
export const buildsOfMacQuery = (org: Place, rentalId: string) =>
  readQuery(
    [org.id, 'builds', 'of-mac', rentalId, org.workspace],
    call(inPlace(org, listBuilds), { rental_id: rentalId, limit: LAST_BUILDS }),
  );

export const extensionQuoteQuery = (org: Place, rentalIds: readonly string[], hours: number) =>
  queryOptions({
    queryKey: [org.id, 'macs', 'extension', rentalIds, hours],
    queryFn: ({ signal }) =>
      send(call(inPlace(org, quoteExtensions), { rental_ids: [...rentalIds], hours }), { signal }),
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
    mutationFn: ({ keepCache, when }: Reset, keyed) =>
      send(call(inPlace(org, resetRental), rentalId, { keep_cache: keepCache, ...optional(when) }), keyed),
    onSettled: () => forgetMacs(org),
  });

export const useSetUp = (org: Place, rentalId: string) =>
  useMutation({
    mutationFn: (body: SetupChange, keyed) => send(call(inPlace(org, changeSetup), rentalId, body), keyed),
    onSettled: () => forgetMacs(org),
  });

export const useRename = (org: Place, rentalId: string) =>
  useMutation({
    mutationFn: (name: string, keyed) => send(call(inPlace(org, changeSetup), rentalId, { name }), keyed),
    // The name is shown before the field closes.
    onSuccess: () => forgetMacs(org),
  });

const forgetMacs = (org: Place) =>
  forget(org.id, 'macs', 'mac', 'status', 'builds', 'build', 'queue', 'orders', 'order');
