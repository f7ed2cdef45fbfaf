// Failed requests and builds of the organization.
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ErrorPage } from '../../../client/types.js';
import { request } from './api.js';
import { apiPath, type Place } from './query-text.js';

const PAGE = 50;

export interface ErrorFilter {
  readonly kind: string | null;
  readonly fault: string | null;
  readonly code: string | null;
  /** ISO. */
  readonly since: string | null;
}

/** @param period names the filter's time, which is a new one at each reading */
export const recordedErrorsQuery = (
  place: Place,
  filter: Omit<ErrorFilter, 'since'>,
  { period, since }: { period: string; since: () => string | null },
) =>
  infiniteQueryOptions({
    queryKey: [place.id, 'errors', place.workspace, filter, period],
    queryFn: ({ signal, pageParam }) =>
      request<ErrorPage>('GET', apiPath(place, '/errors'), {
        query: { ...filter, since: since(), before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });
