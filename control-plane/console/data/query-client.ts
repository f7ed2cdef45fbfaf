// When queries are repeated, and how long their results count as new.
import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient, type QueryKey } from '@tanstack/react-query';
import { Failure } from './failure.js';

const ATTEMPTS = 3;

/**
 * Invalidating a query that waits for its first answer would have no effect, although that answer may be from before the
 * change: here it is repeated once it has the answer.
 */
export class ConsoleQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const again = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined)
      .map(({ promise, queryKey }) =>
        promise?.then(
          () => super.invalidateQueries({ queryKey, exact: true }, options),
          // It shows its failure.
          () => undefined,
        ),
      );
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }
}

/** How long a page waits for a repeated request before it says so, in seconds. */
const LONGEST_SILENT_S = 5;

export const queryClient = new ConsoleQueryClient({
  defaultOptions: {
    queries: {
      // Only an attempt shows whether the service can be reached: it may run on this machine, and the browser may be
      // wrong.
      networkMode: 'always',
      // The live stream says what has changed.
      staleTime: 30_000,
      retry: (failed, error) => failed < ATTEMPTS - 1 && isRetryable(error),
      retryDelay: (failed, error) =>
        error instanceof Failure && error.retryAfter !== null ? error.retryAfter * 1_000 : 500 * 2 ** failed,
      refetchOnWindowFocus: true,
    },
    // A request that changes something is never repeated without the person.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** A failure that asks for a longer pause is shown at once, with the time after which to try again. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Failure && error.retryable && (error.retryAfter ?? 0) <= LONGEST_SILENT_S;
