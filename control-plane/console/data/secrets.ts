import type { Secret, SecretList } from '../../../client/types.js';
import { request } from './api.js';
import { forget, readQuery, useChange } from './queries.js';
import { apiPath, type Place } from './query-text.js';

export const secretsQuery = (place: Place) => readQuery<SecretList>([place.id, 'secrets'], apiPath(place, '/secrets'));

const changed = (place: Place) => () => forget(place.id, 'secrets');

export const useSetSecret = (place: Place) =>
  useChange(
    ({ name, value }: { name: string; value: string }) =>
      request<Secret>('PUT', apiPath(place, `/secrets/${encodeURIComponent(name)}`), { body: { value } }),
    changed(place),
  );

export const useDeleteSecret = (place: Place) =>
  useChange(
    (name: string) => request<unknown>('DELETE', apiPath(place, `/secrets/${encodeURIComponent(name)}`)),
    changed(place),
  );
