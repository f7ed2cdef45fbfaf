// The workers of the platform.
import { type IdempotencyPurgeDeps, purgeOldReplies } from '../app/idempotency.js';
import { periodWithin, type Worker } from './worker.js';

export function platformWorkers(deps: IdempotencyPurgeDeps): readonly Worker[] {
  return [
    {
      name: 'idempotency-purge',
      periodMs: periodWithin(deps.limits.idempotency_ms),
      run: async () => void (await purgeOldReplies(deps)),
    },
  ];
}
