// Failed requests and builds of the organization.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { listErrors } from '../../../client/operations/api.js';
import type { Asked } from '../../../client/operations/operation.js';
import type { ErrorFilter as ApiFilter } from '../../../client/types.js';
import { call, send } from './api.js';
import { inPlace, type Place } from './place.js';

const PAGE = 50;

export type ErrorFilter = Asked<Pick<ApiFilter, 'kind' | 'fault' | 'code'>>;

/** @param period names the filter's time, which is a new one at each reading */
export const recordedErrorsQuery = (
  place: Place,
  filter: ErrorFilter,
  { period, since }: { period: string; since: () => string | null },
) =>
  infiniteQueryOptions({
    queryKey: [place.id, 'errors', place.workspace, filter, period],
    queryFn: ({ signal, pageParam }) =>
      send(call(inPlace(place, listErrors), { ...filter, since: since(), before: pageParam, limit: PAGE }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });
