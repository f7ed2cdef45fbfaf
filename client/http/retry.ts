// When a failed request is sent again, and how long to wait before it.
import { backoffMs } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { CidermillError } from '../cidermill-error.js';

export interface RetryPolicy {
  /** How often a request is sent at most, the first time included; 1 never repeats. */
  attempts: number;
  /** Ceiling of the first wait in ms; it doubles with each repetition up to `maxMs`. */
  baseMs: number;
  maxMs: number;
  /** A service that asks to wait longer than this (ms) is not waited for: the error is thrown instead. */
  maxRetryAfterMs: number;
  /** Which errors are worth a repetition; by default those that say so themselves. */
  repeats?: (error: CidermillError) => boolean;
  /** Called before each wait, with its length in ms. */
  onWait?: OnWait;
}

export type OnWait = (error: CidermillError, waitMs: number) => void;

export const defaultRetry: RetryPolicy = {
  attempts: 5,
  baseMs: 250,
  maxMs: 20_000,
  maxRetryAfterMs: 60_000,
};

/**
 * Runs `attempt` until it succeeds, fails for good, or the policy is used up; the last error is thrown.
 *
 * Waits Retry-After plus a random part of an exponentially growing ceiling, so that clients that were
 * turned away together do not come back together.
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
  // A fault inside the service is reported on the spot; one repetition tells a hiccup from a defect.
  const attempts = error.code === 'internal_error' ? Math.min(policy.attempts, 2) : policy.attempts;
  return sent < attempts;
}
