// When a failed request is sent again, and waiting that can be ended.
import { clock } from '../clock.js';
import { Failure } from '../data/failure.js';

const RETRY_MS = [500, 2_000, 5_000, 10_000];
/** The longest time that timers can wait. */
const NEVER_MS = 2 ** 31 - 1;

export const isUnreachable = (error: unknown): boolean => error instanceof Failure && error.code === 'unreachable';

/** Returns when a request that has failed too often is sent again nevertheless, in ms: the network may be gone for long. */
export const laterOf = (error: unknown): number =>
  error instanceof Failure && error.retryable ? (RETRY_MS.at(-1) ?? NEVER_MS) : NEVER_MS;

/** Returns when a failed request may be sent again, in ms; null: it fails again, or has failed too often. */
export function waitOf(error: unknown, tries: number): number | null {
  if (!(error instanceof Failure)) return null;
  if (error.status === 429) return (error.retryAfter ?? 5) * 1_000;
  return error.retryable ? (RETRY_MS[tries] ?? null) : null;
}

/** Resolves after `ms`, or at once when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
