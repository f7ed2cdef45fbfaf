import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../domain/limits.js';
import { purgeReplies } from '../store/idempotency.js';
import type { Store } from '../store/sql.js';
import { periodWithin, type Worker } from './worker.js';

const BATCH = 500;

/** Forgets answers that can no longer be replayed, a few at a time so that nobody waits for it. */
export function createIdempotencyPurge(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'idempotency_ms'>;
}): Worker {
  const { store, clock, limits } = deps;
  return {
    name: 'idempotency-purge',
    periodMs: periodWithin(limits.idempotency_ms),
    wakeOn: [],
    async run() {
      const since = clock.now() - limits.idempotency_ms;
      while ((await store.transaction((tx) => purgeReplies(tx, since, BATCH))) === BATCH);
      return null;
    },
  };
}
