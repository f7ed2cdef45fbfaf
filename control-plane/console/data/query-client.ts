// When queries are repeated, and how long their results count as new.
import { QueryClient } from '@tanstack/react-query';
import { Failure } from './failure.js';

const ATTEMPTS = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream says what has changed.
      staleTime: 30_000,
      retry: (failed, error) => failed < ATTEMPTS - 1 && isRetryable(error),
      retryDelay: (failed, error) =>
        error instanceof Failure && error.retryAfter !== null
          ? Math.min(error.retryAfter, 30) * 1_000
          : 500 * 2 ** failed,
      refetchOnWindowFocus: true,
    },
    // A request that changes something is never repeated without the person.
    mutations: { retry: false },
  },
});

const isRetryable = (error: unknown): boolean => error instanceof Failure && error.retryable;
