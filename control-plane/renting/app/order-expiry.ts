// Expires orders that nobody paid.
import type { Store } from '../../platform/store/sql.js';
import { readOverdueOrders } from '../store/orders.js';
import type { OrderChangeDeps } from './order-changes.js';
import { cancelUnpaid } from './order-ends.js';

/**
 * Expires unpaid orders whose pay link has expired and frees their holds.
 *
 * @returns when the next pay link expires
 */
export async function expireOverdueOrders(deps: OrderChangeDeps & { store: Store }): Promise<number | null> {
  for (;;) {
    const { due, nextAt } = await readOverdueOrders(deps.store, deps.clock.now());
    if (due.length === 0) return nextAt;
    await deps.store.transaction(async (tx) => {
      for (const order of due) await cancelUnpaid(tx, deps, order, 'expired');
    });
  }
}
