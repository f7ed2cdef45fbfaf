import type { Store } from '../../platform/store/sql.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { OrderChangeDeps } from '../app/order-changes.js';
import { expireOrder } from '../app/order-ends.js';
import { readOverdueOrders } from '../store/orders.js';

/** Ends unpaid orders whose pay link is over, and frees what they held. */
export function createOrderExpiry(deps: OrderChangeDeps & { store: Store }): Worker {
  return {
    name: 'order-expiry',
    // Payments: one that was being confirmed may have failed after its order's time.
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
