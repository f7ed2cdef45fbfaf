import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Secret, SecretList } from '../../../client/types.js';
import { request } from './api.js';
import { queryClient } from './query-client.js';
import { apiPath, type Place } from './query-text.js';

export const secretsQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'secrets'],
    queryFn: ({ signal }) => request<SecretList>('GET', apiPath(place, '/secrets'), { signal }),
  });

const changed = (place: Place) => () => queryClient.invalidateQueries({ queryKey: [place.id, 'secrets'] });

export const useSetSecret = (place: Place) =>
  useMutation({
    mutationFn: ({ name, value }: { name: string; value: string }) =>
      request<Secret>('PUT', apiPath(place, `/secrets/${encodeURIComponent(name)}`), { body: { value } }),
    onSuccess: changed(place),
  });

export const useDeleteSecret = (place: Place) =>
  useMutation({
    mutationFn: (name: string) => request<unknown>('DELETE', apiPath(place, `/secrets/${encodeURIComponent(name)}`)),
    onSuccess: changed(place),
  });
