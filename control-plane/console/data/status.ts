import type { AgentStatus } from '../../../client/types.js';
import { readQuery } from './queries.js';
import { apiPath, type Place } from './query-text.js';

/** Macs, advice and waiting builds on the overview; pages of their own have the others. */
export const SHOWN = 20;

export const statusQuery = (place: Place) =>
  readQuery<AgentStatus>([place.id, 'status', place.workspace], apiPath(place, '/status'), { limit: SHOWN });
