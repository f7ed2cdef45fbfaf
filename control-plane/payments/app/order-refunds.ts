// Refunds an order on behalf of an operator and revokes what it bought, or cancels an unpaid order.

import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import type { OrderChangeDeps } from '../../renting/app/order-changes.js';
import { cancelUnpaid, endingRentals, giveBack, planRefund } from '../../renting/app/order-ends.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import type { RefundLine } from '../../renting/domain/refund.js';
import { findPayment } from '../store/payments.js';

export interface OrderRefund {
  /** The order afterwards. */
  readonly order: Order;
  readonly lines: readonly RefundLine[];
  /** Rentals that end because of it. */
  readonly endedRentalIds: readonly string[];
}

export type OrderRefunds = ReturnType<typeof createOrderRefunds>;

export interface OrderRefundsDeps extends OrderChangeDeps {
  readonly store: Store;
  /** Fetches the order's payment, so that refunds made at the provider are known. Absent: what is known counts. */
  readonly refresh?: (orderNo: string) => Promise<void>;
}

export function createOrderRefunds(deps: OrderRefundsDeps) {
  const { store } = deps;
  const existing = async (q: Queries, orderNo: string): Promise<Order> => {
    const order = await findOrderOfAnyAccount(q, orderNo);
    if (!order) throw new ApiError('order_not_found');
    return order;
  };

  return {
    /**
     * Refunds a paid order in full; for a rental order also its extensions. Rentals that it created end now; unused
     * time that it added is removed.
     *
     * @param how.dryRun only reports what would be done
     * @param how.expectWon nothing is done unless this sum goes back
     * @throws ApiError order_not_found, order_not_refundable (not paid, or already refunded), invalid_request for another
     *   sum than the expected one
     */
    async refund(
      orderNo: string,
      { dryRun = false, expectWon }: { readonly dryRun?: boolean; readonly expectWon?: number | undefined } = {},
    ): Promise<OrderRefund> {
      await deps.refresh?.(orderNo);
      return store.transaction(async (tx) => {
        const order = await existing(tx, orderNo);
        const planned = await planRefund(tx, order);
        const ending = await endingRentals(tx, order, planned, deps.clock.now());
        const lines = dryRun ? planned : await giveBack(tx, deps, order, 'refunded_by_operator');
        if (lines.length === 0) {
          const already = order.refundedAt === null ? '' : ', and its payment has been refunded';
          throw new ApiError('order_not_refundable', { message: `The order is ${order.status}${already}.` });
        }
        const total = lines.reduce((sum, line) => sum + line.amountWon, 0);
        if (expectWon !== undefined && total !== expectWon) {
          throw new ApiError('invalid_request', {
            message: `${total} won would go back, not ${expectWon}. Nothing was changed; look at the order again.`,
            detail: { fields: ['expect_won'] },
          });
        }
        const endedRentalIds = ending.map(({ rentalId }) => rentalId);
        return { order: (await findOrderOfAnyAccount(tx, orderNo)) ?? order, lines, endedRentalIds };
      });
    },

    /**
     * Cancels an unpaid order and releases its holds.
     *
     * @throws ApiError order_not_found, order_not_payable (paid, being paid, or ended)
     */
    async cancel(orderNo: string): Promise<Order> {
      return store.transaction(async (tx) => {
        const order = await existing(tx, orderNo);
        const payment = await findPayment(tx, orderNo);
        if (payment?.status === 'confirming') {
          throw new ApiError('order_not_payable', {
            message: 'A payment of this order is in progress; wait until it ends.',
          });
        }
        // A payment that arrives afterwards is refunded.
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
