// What most data modules need: queries of an address, and changes after which some data is read again.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Call, type SendOptions, send } from './api.js';
import { Failure } from './failure.js';
import { useMutation } from './mutation.js';
import { queryClient } from './query-client.js';

type Key = readonly unknown[];

/** @example readQuery([place.id, 'secrets'], call(inPlace(place, listSecrets))) */
export const readQuery = <T>(queryKey: Key, call: Call<T>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => send(call, { signal }) });

/**
 * Keeps what does not exist from being read again, e.g. when the live stream opens: each such answer adds an entry to
 * the list of errors. As `enabled` of a query.
 */
export const unlessMissing = ({ state: { error } }: { readonly state: { readonly error: unknown } }): boolean =>
  !(error instanceof Failure && error.status === 404);

type Page = string | null;

/** A list that is read page by page; the last entry of a page is the `before` of the next one. */
export const pagesBefore = <T extends { readonly next_before: Page }>(queryKey: Key, page: (before: Page) => Call<T>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => send(page(pageParam), { signal }),
    initialPageParam: null as Page,
    getNextPageParam: ({ next_before }) => next_before,
  });

/** A list that is read page by page; each has the `cursor` of the next one. */
export const pagesByCursor = <T extends { readonly next_cursor: Page }>(
  queryKey: Key,
  page: (cursor: Page) => Call<T>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => send(page(pageParam), { signal }),
    initialPageParam: null as Page,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Everything known about these nouns of an organization is read again. */
export const forget = (orgId: string, ...nouns: readonly string[]) => forgetKeys(...nouns.map((noun) => [orgId, noun]));

export const forgetKeys = async (...keys: readonly Key[]): Promise<void> => {
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
};

/** A mutation that waits until `changed` has read again what it changes. */
export const useChange = <I, O>(
  mutationFn: (input: I, keyed: SendOptions) => Promise<O>,
  changed: (output: O) => Promise<void>,
) => useMutation({ mutationFn, onSuccess: changed });
