// An operator gives an order's money back, and takes back what it bought.
import { ApiError } from '../domain/error-catalog.js';
import type { Order } from '../domain/order.js';
import { HOUR_MS } from '../domain/rental.js';
import { findAnyOrder, markRefunded } from '../store/orders.js';
import { cutRental, findLiveRental, lengthenRental, readRentalsOfOrder } from '../store/rental-times.js';
import type { Store, Transaction } from '../store/sql.js';
import { cancelOrder, type OrderChangeDeps, wakeForOrder } from './order-changes.js';

export interface OrderRefunds {
  /**
   * Has the whole money of a paid order sent back. Macs that it created end now; time that it added is taken off
   * again, as far as it has not been used.
   *
   * @throws ApiError order_not_found, order_not_refundable (not paid, or given back already)
   */
  refund(orderNo: string): Promise<Order>;
}

export function createOrderRefunds(deps: OrderChangeDeps & { store: Store }): OrderRefunds {
  const { store, clock } = deps;
  return {
    async refund(orderNo) {
      return store.transaction(async (tx) => {
        const order = await findAnyOrder(tx, orderNo);
        if (!order) throw new ApiError('order_not_found');
        const done =
          order.status === 'paid' || order.status === 'provisioning'
            ? await cancelOrder(tx, deps, order, 'refunded_by_operator')
            : order.status === 'ready' && (await takeBack(tx, order, clock.now()));
        if (!done) {
          const already = order.endReason === 'refunded_by_operator' ? ', and its money has gone back' : '';
          throw new ApiError('order_not_refundable', { message: `The order is ${order.status}${already}.` });
        }
        return (await findAnyOrder(tx, orderNo)) ?? order;
      });
    },
  };

  async function takeBack(tx: Transaction, order: Order, now: number): Promise<boolean> {
    const { orderNo, accountId, amountWon } = order;
    if (!(await markRefunded(tx, orderNo, now))) return false;
    for (const rental of await readRentalsOfOrder(tx, orderNo)) await cutRental(tx, rental.rentalId, now);
    for (const { rentalId } of order.items) {
      const rental = await findLiveRental(tx, rentalId);
      if (!rental) continue;
      const endsAt = Math.max(now, rental.endsAt - order.hours * HOUR_MS);
      await lengthenRental(tx, { rentalId, hours: -order.hours, endsAt });
    }
    await deps.requestRefund(tx, { orderNo, accountId, amountWon, reason: 'refunded_by_operator' });
    wakeForOrder(tx, deps.wake, order);
    return true;
  }
}
