import { queryOptions } from '@tanstack/react-query';
import type { AgentStatus } from '../../../client/types.js';
import { request } from './api.js';
import { apiPath, type Place } from './query-text.js';

/** Macs, advice and waiting builds on the overview; pages of their own have the others. */
export const SHOWN = 20;

export const statusQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'status', place.workspace],
    queryFn: ({ signal }) =>
      request<AgentStatus>('GET', apiPath(place, '/status'), { query: { limit: SHOWN }, signal }),
  });
