import { backoffMs } from '../../shared/backoff.js';
import { pause } from '../../shared/pause.js';
import type { SourceStep } from './source-step.js';

/** Waits with backoff before a retry. Rejects with the signal's reason when the build is stopped. */
export async function waitToRetry(
  step: Pick<SourceStep, 'clock' | 'limits' | 'signal'>,
  attempt: number,
): Promise<void> {
  const { retryBaseMs, retryMaxMs } = step.limits;
  await pause(step.clock, backoffMs(attempt, { baseMs: retryBaseMs, maxMs: retryMaxMs }), step.signal);
}
