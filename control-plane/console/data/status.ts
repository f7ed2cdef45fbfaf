import { queryOptions } from '@tanstack/react-query';
import type { AgentStatus } from '../../../client/types.js';
import { request } from './api.js';
import { agentPath, type Place } from './query-text.js';

export const statusQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'status', place.workspace],
    queryFn: ({ signal }) => request<AgentStatus>('GET', agentPath(place, '/status'), { signal }),
  });
