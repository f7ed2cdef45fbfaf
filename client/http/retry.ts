// When a failed request is retried, and after which delay.
import { backoffMs } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { CidermillError } from '../cidermill-error.js';

export interface RetryPolicy {
  /** Maximum number of attempts, including the first; 1: no retries. */
  attempts: number;
  /** Upper bound of the first delay in ms; it doubles with each retry up to `maxMs`. */
  baseMs: number;
  maxMs: number;
  /** If the service asks for a longer delay than this (ms), the error is thrown instead. */
  maxRetryAfterMs: number;
  /** Maximum number of attempts when the service answers rate_limited. Default: `attempts`. */
  attemptsWhenLimited?: number;
  /** Which errors are retried; by default those with `retryable`. */
  repeats?: (error: CidermillError) => boolean;
  /** Called before each wait, with its length in ms. */
  onWait?: OnWait;
}

/** Too many requests, or too many open at the same time. The same request can succeed later. */
export const RATE_LIMITED = 'rate_limited';

export type OnWait = (error: CidermillError, waitMs: number) => void;

export const defaultRetry: RetryPolicy = {
  attempts: 5,
  baseMs: 250,
  maxMs: 20_000,
  maxRetryAfterMs: 60_000,
};

/**
 * Runs `attempt` until it succeeds, fails permanently, or no attempts are left; throws the last error.
 *
 * Waits Retry-After plus a random part of an exponentially growing bound, so that clients that were
 * rejected together do not retry together.
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  options: { policy: RetryPolicy; clock: Clock; random: () => number; signal?: AbortSignal | undefined },
): Promise<T> {
  const { policy, clock, random, signal } = options;
  for (let sent = 1; ; sent++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CidermillError) || !worthRepeating(error, sent, policy)) throw error;
      const askedMs = (error.retryAfterS ?? 0) * 1000;
      if (askedMs > policy.maxRetryAfterMs) throw error;
      const waitMs = askedMs + backoffMs(sent - 1, { ...policy, random });
      policy.onWait?.(error, waitMs);
      await pause(clock, waitMs, signal);
    }
  }
}

function worthRepeating(error: CidermillError, sent: number, policy: RetryPolicy): boolean {
  const repeats = policy.repeats?.(error) ?? error.retryable;
  if (!repeats) return false;
  // An internal error of the service is retried once, which tells a transient fault from a permanent one.
  if (error.code === 'internal_error') return sent < Math.min(policy.attempts, 2);
  if (error.code === RATE_LIMITED) return sent < (policy.attemptsWhenLimited ?? policy.attempts);
  return sent < policy.attempts;
}

/**
 * A retry rule for callers that should not wait long: retries faults of the network and the service, and refusals with a
 * Retry-After, but not busy Macs and sold-out tiers.
 */
export function passesSoon({ retryable, status, retryAfterS }: CidermillError): boolean {
  return retryable && (status === 0 || status >= 500 || retryAfterS !== null);
}
