// An operator gives an order's money back, and takes back what it bought; or cancels one that nobody has paid.

import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { OrderChangeDeps } from '../../renting/app/order-changes.js';
import { cancelUnpaid, giveBack, liveRentalsOfOrder, planRefund } from '../../renting/app/order-ends.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import type { RefundLine } from '../../renting/domain/refund.js';
import { findPayment } from '../store/payments.js';

export interface OrderRefund {
  /** As it is then. */
  readonly order: Order;
  readonly lines: readonly RefundLine[];
  /** Rentals that end. */
  readonly endedRentalIds: readonly string[];
}

export interface OrderRefunds {
  /**
   * Has the whole money of a paid order sent back, and with a rental order's that of its extensions. Macs that it
   * created end now; time that it added is taken off again, as far as it has not been used.
   *
   * @param dryRun only says what would be done
   * @throws ApiError order_not_found, order_not_refundable (not paid, or given back already)
   */
  refund(orderNo: string, dryRun?: boolean): Promise<OrderRefund>;
  /**
   * Cancels an order that nobody has paid; what it holds is free again.
   *
   * @throws ApiError order_not_found, order_not_payable (paid, being paid, or over)
   */
  cancel(orderNo: string): Promise<Order>;
}

export function createOrderRefunds(deps: OrderChangeDeps & { store: Store }): OrderRefunds {
  const { store } = deps;
  const existing = async (q: Queries, orderNo: string): Promise<Order> => {
    const order = await findOrderOfAnyAccount(q, orderNo);
    if (!order) throw new ApiError('order_not_found');
    return order;
  };

  return {
    async refund(orderNo, dryRun = false) {
      return store.transaction(async (tx) => {
        const order = await existing(tx, orderNo);
        const live = order.kind === 'rental' ? await liveRentalsOfOrder(tx, orderNo) : [];
        const lines = dryRun
          ? await planRefund(tx, order)
          : await giveBack(tx, deps, order, 'refunded_by_operator');
        if (lines.length === 0) {
          const already = order.refundedAt === null ? '' : ', and its money has gone back';
          throw new ApiError('order_not_refundable', { message: `The order is ${order.status}${already}.` });
        }
        const endedRentalIds = live.map(({ rentalId }) => rentalId);
        return { order: (await findOrderOfAnyAccount(tx, orderNo)) ?? order, lines, endedRentalIds };
      });
    },

    async cancel(orderNo) {
      return store.transaction(async (tx) => {
        const order = await existing(tx, orderNo);
        const payment = await findPayment(tx, orderNo);
        if (payment?.status === 'confirming') {
          throw new ApiError('order_not_payable', {
            message: 'A payment of the order is under way; wait for it.',
          });
        }
        // A payment that comes all the same is sent back.
        if (!(await cancelUnpaid(tx, deps, order, 'canceled_by_person'))) {
          throw new ApiError('order_not_payable', {
            message: `The order is ${order.status}; only an unpaid order can be canceled.`,
          });
        }
        return (await findOrderOfAnyAccount(tx, orderNo)) ?? order;
      });
    },
  };
}
