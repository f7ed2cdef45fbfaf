import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { Catalog, Quote, WaitlistEntry } from '../../../client/types.js';
import { request } from './api.js';
import { newKey } from './idempotency.js';
import { forget, readQuery } from './queries.js';
import { apiPath, type Place } from './query-text.js';

export const catalogQuery = (org: Place) => readQuery<Catalog>([org.id, 'catalog'], apiPath(org, '/catalog'));

/** Apart from the catalog, whose availability changes all the time: names hardly ever do. */
const tierNamesQuery = ({ id }: Pick<Place, 'id'>) =>
  queryOptions({
    queryKey: [id, 'tier-names'],
    async queryFn({ signal }): Promise<ReadonlyMap<string, string>> {
      const { tiers } = await request<Catalog>('GET', apiPath({ id, workspace: null }, '/catalog'), {
        signal,
      });
      return new Map(tiers.map(({ tier, name }) => [tier, name]));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Returns the name of a tier by its id, and the id until it is known. */
export function useTierName(org: Pick<Place, 'id'>): (tier: string) => string {
  const { data } = useQuery(tierNamesQuery(org));
  return (tier) => data?.get(tier) ?? tier;
}

export interface QuoteWanted {
  readonly tier: string;
  readonly hours: number;
  readonly units: number;
}

export const quoteQuery = (org: Place, wanted: QuoteWanted) =>
  queryOptions({
    queryKey: [org.id, 'catalog', 'quote', wanted],
    queryFn: ({ signal }) => request<Quote>('POST', apiPath(org, '/quote'), { body: wanted, signal }),
    // The price of what was chosen before stays visible until the new one is there.
    placeholderData: (before) => before,
  });

export const useJoinWaitlist = (org: Place) =>
  useMutation({
    mutationFn: (body: { tier: string; units: number }) =>
      request<WaitlistEntry>('POST', apiPath(org, '/waitlist'), {
        body,
        headers: { 'idempotency-key': newKey() },
      }),
    onSettled: () => forget(org.id, 'catalog'),
  });

export const useLeaveWaitlist = (org: Place) =>
  useMutation({
    mutationFn: (id: string) => request<WaitlistEntry>('DELETE', apiPath(org, `/waitlist/${encodeURIComponent(id)}`)),
    onSettled: () => forget(org.id, 'catalog'),
  });
