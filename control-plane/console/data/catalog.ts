import { queryOptions, useQuery } from '@tanstack/react-query';
import { getCatalog, joinWaitlist, leaveWaitlist, quote } from '../../../client/operations/api.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { inPlace, type Place } from './place.js';
import { forget, readQuery } from './queries.js';

export const catalogQuery = (org: Place) => readQuery([org.id, 'catalog'], call(inPlace(org, getCatalog)));

/** Apart from the catalog, whose availability changes all the time: names hardly ever do. */
const tierNamesQuery = ({ id }: Pick<Place, 'id'>) =>
  queryOptions({
    queryKey: [id, 'tier-names'],
    async queryFn({ signal }): Promise<ReadonlyMap<string, string>> {
      const { tiers } = await send(call(inPlace({ id, workspace: null }, getCatalog)), { signal });
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
    queryFn: ({ signal }) => send(call(inPlace(org, quote), wanted), { signal }),
    // The price of what was chosen before stays visible until the new one is there.
    placeholderData: (before) => before,
  });

export const useJoinWaitlist = (org: Place) =>
  useMutation({
    mutationFn: (body: { tier: string; units: number }, keyed) => send(call(inPlace(org, joinWaitlist), body), keyed),
    onSettled: () => forget(org.id, 'catalog'),
  });

export const useLeaveWaitlist = (org: Place) =>
  useMutation({
    mutationFn: (id: string) => send(call(inPlace(org, leaveWaitlist), id)),
    onSettled: () => forget(org.id, 'catalog'),
  });
