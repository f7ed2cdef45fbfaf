import { queryOptions } from '@tanstack/react-query';
import type { Me } from '../../../client/types.js';
import { request } from './api.js';
import { apiPath, type Place } from './query-text.js';

/** The account with its use of storage and requests, and the limits of each. */
export const usageQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'usage', place.workspace],
    queryFn: ({ signal }) => request<Me>('GET', apiPath(place, '/account'), { signal }),
  });
