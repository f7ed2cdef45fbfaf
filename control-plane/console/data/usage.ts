import type { Me } from '../../../client/types.js';
import { readQuery } from './queries.js';
import { apiPath, type Place } from './query-text.js';

/** The account with its use of storage and requests, and the limits of each. */
export const usageQuery = (place: Place) =>
  readQuery<Me>([place.id, 'usage', place.workspace], apiPath(place, '/account'));
