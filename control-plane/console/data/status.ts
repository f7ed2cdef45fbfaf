import { getStatus } from '../../../client/operations/api.js';
import { call } from './api.js';
import { inPlace, type Place } from './place.js';
import { readQuery } from './queries.js';

/** Macs, advice and waiting builds on the overview; pages of their own have the others. */
export const SHOWN = 20;

export const statusQuery = (place: Place) =>
  readQuery([place.id, 'status', place.workspace], call(inPlace(place, getStatus), { limit: SHOWN }));
