import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import { deleteEvents } from '../../platform/store/outbox.js';
import type { Store } from '../../platform/store/sql.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { purgeDeliveries } from '../store/deliveries.js';
import { readUnneededEvents } from '../store/events.js';

const BATCH = 500;

export interface DeliveryPurgeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'webhook_deliveries_kept_ms'>;
}

/** Deletes old deliveries and events, in small transactions that do not block others. */
export function createDeliveryPurge(deps: DeliveryPurgeDeps): Worker {
  const { store, clock, limits } = deps;
  return {
    name: 'delivery-purge',
    periodMs: periodWithin(limits.webhook_deliveries_kept_ms),
    async run() {
      const before = clock.now() - limits.webhook_deliveries_kept_ms;
      while ((await store.transaction((tx) => purgeDeliveries(tx, before, BATCH))) > 0);
      // An event is deleted after the last of its deliveries, so that any listed delivery can be resent.
      let after: number | null = 0;
      while (after !== null) {
        const from: number = after;
        after = await store.transaction(async (tx) => {
          const { seqs, next } = await readUnneededEvents(tx, { before, after: from, limit: BATCH });
          await deleteEvents(tx, seqs);
          return next;
        });
      }
      return null;
    },
  };
}
