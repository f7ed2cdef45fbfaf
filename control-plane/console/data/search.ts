// Search parameters of the address, as the page understands them.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { RawSearch } from './raw-search.js';

export type { RawSearch };

/**
 * Returns the page's search parameters and a function that changes some of them (undefined or '' removes one).
 *
 * @param parse reads what the address says; what it does not understand, it leaves out
 * @example const [search, setSearch] = useSearchParameters(parseBuildSearch);
 */
export function useSearchParameters<S>(parse: (raw: RawSearch) => S): readonly [S, (changes: RawSearch) => void] {
  const raw = useSearch({ strict: false }) as RawSearch;
  const navigate = useNavigate();
  const search = useMemo(() => parse(raw), [parse, raw]);
  const change = useCallback(
    (changes: RawSearch) =>
      void navigate({
        to: '.',
        search: ((before: RawSearch) => withoutEmpty({ ...before, ...changes })) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change];
}

/** The address has plain texts: no JSON, no types. */
export const parseSearch = (text: string): RawSearch => Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams(
    Object.entries(withoutEmpty(search)).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

const withoutEmpty = <V>(search: Readonly<Record<string, V>>) =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
