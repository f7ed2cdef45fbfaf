import { backoffMs } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import type { SourceStep } from './source-step.js';

/** Waits with backoff before a retry. Rejects with the signal's reason when the build is stopped. */
export async function waitToRetry(
  step: Pick<SourceStep, 'clock' | 'limits' | 'signal'>,
  attempt: number,
): Promise<void> {
  const { retryBaseMs, retryMaxMs } = step.limits;
  await pause(step.clock, backoffMs(attempt, { baseMs: retryBaseMs, maxMs: retryMaxMs }), step.signal);
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    const stop = () => {
      timer.cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
