import { getAccount } from '../../../client/operations/api.js';
import { call } from './api.js';
import { inPlace, type Place } from './place.js';
import { readQuery } from './queries.js';

/** The account with its use of storage and requests, and the limits of each. */
export const usageQuery = (place: Place) =>
  readQuery([place.id, 'usage', place.workspace], call(inPlace(place, getAccount)));
