import type { Store } from '../../platform/store/sql.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { OrderChangeDeps } from '../app/order-changes.js';
import { expireOrder } from '../app/order-ends.js';
import { readOverdueOrders } from '../store/orders.js';

/** Expires unpaid orders whose pay link has expired and frees their holds. */
export function createOrderExpiry(deps: OrderChangeDeps & { store: Store }): Worker {
  return {
    name: 'order-expiry',
    // Topic payments: a payment in doubt may have failed after its order expired.
    wakeOn: ['orders', 'payments'],
    async run() {
      for (;;) {
        const { due, nextAt } = await readOverdueOrders(deps.store, deps.clock.now());
        if (due.length === 0) return nextAt;
        await deps.store.transaction(async (tx) => {
          for (const order of due) await expireOrder(tx, deps, order);
        });
      }
    },
  };
}
