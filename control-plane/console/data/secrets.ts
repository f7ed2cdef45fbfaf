import { deleteSecret, listSecrets, setSecret } from '../../../client/operations/api.js';
import { call, send } from './api.js';
import { inPlace, type Place } from './place.js';
import { forget, readQuery, useChange } from './queries.js';

export const secretsQuery = (place: Place) => readQuery([place.id, 'secrets'], call(inPlace(place, listSecrets)));

const changed = (place: Place) => () => forget(place.id, 'secrets');

export const useSetSecret = (place: Place) =>
  useChange(
    ({ name, value }: { name: string; value: string }, keyed) =>
      send(call(inPlace(place, setSecret), name, { value }), keyed),
    changed(place),
  );

export const useDeleteSecret = (place: Place) =>
  useChange((name: string, keyed) => send(call(inPlace(place, deleteSecret), name), keyed), changed(place));
