// Refunds an order on behalf of an operator and revokes what it bought, or cancels an unpaid order.

import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { OrderChangeDeps } from '../../renting/app/order-changes.js';
import { cancelUnpaid, endingRentals, giveBack, planRefund } from '../../renting/app/order-ends.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import type { RefundedLine } from '../../renting/domain/refund.js';
import { findPayment } from '../store/payments.js';
import { creditOfRefund } from './credit-payments.js';

export interface OrderRefund {
  /** The order afterwards. */
  readonly order: Order;
  readonly lines: readonly RefundedLine[];
  /** Rentals that end because of it. */
  readonly endedRentalIds: readonly string[];
  /** Names of their Macs, in the same order. */
  readonly endedNames: readonly string[];
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

  const planned = async (tx: Transaction, orderNo: string): Promise<OrderRefund> => {
    const order = await existing(tx, orderNo);
    const lines = await planRefund(tx, order);
    if (lines.length === 0) {
      const already = order.refundedAt === null ? '' : ', and its payment has been refunded';
      throw new ApiError('order_not_refundable', { message: `The order is ${order.status}${already}.` });
    }
    const ending = await endingRentals(tx, order, lines, deps.clock.now());
    const withCredit: RefundedLine[] = [];
    for (const line of lines) {
      const { action, amountWon } = line;
      const creditMicroUsd =
        action === 'refund' ? await creditOfRefund(tx, { orderNo: line.order.orderNo, amountWon }) : null;
      withCredit.push({ ...line, creditMicroUsd });
    }
    return {
      order,
      lines: withCredit,
      endedRentalIds: ending.map(({ rentalId }) => rentalId),
      endedNames: ending.map(({ name }) => name),
    };
  };

  return {
    /** Returns what `refund` would do. Throws as it does. */
    async plan(orderNo: string): Promise<OrderRefund> {
      await deps.refresh?.(orderNo);
      return store.transaction((tx) => planned(tx, orderNo));
    },

    /**
     * Refunds a paid order in full; for a rental order also its extensions. Rentals that it created end now; unused
     * time that it added is removed. `done` runs in the transaction.
     *
     * @param expectWon nothing is done unless this sum goes back
     * @throws ApiError order_not_found, order_not_refundable (not paid, or already refunded), invalid_request for another
     *   sum than the expected one
     */
    async refund(orderNo: string, expectWon?: number, done?: InTransaction<OrderRefund>): Promise<OrderRefund> {
      await deps.refresh?.(orderNo);
      return store.transaction(async (tx) => {
        const { order, ...plan } = await planned(tx, orderNo);
        const lines = await giveBack(tx, deps, order, 'refunded_by_operator');
        const total = lines.reduce((sum, line) => sum + line.amountWon, 0);
        if (expectWon !== undefined && total !== expectWon) {
          const problem = fieldProblem('changed_meanwhile', { now: String(total), shown: String(expectWon) });
          throw fieldError('invalid_request', 'expect_won', problem, {
            message: `The refund would be ${total} won, not ${expectWon}. Nothing was changed; check the order again.`,
          });
        }
        const after = (await findOrderOfAnyAccount(tx, orderNo)) ?? order;
        const refund = { ...plan, order: after, lines };
        await done?.(tx, refund);
        return refund;
      });
    },

    /**
     * Cancels an unpaid order and releases its holds. `done` runs in the transaction.
     *
     * @throws ApiError order_not_found, order_not_payable (paid, being paid, or ended)
     */
    async cancel(orderNo: string, done?: InTransaction<Order>): Promise<Order> {
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
        const canceled = (await findOrderOfAnyAccount(tx, orderNo)) ?? order;
        await done?.(tx, canceled);
        return canceled;
      });
    },
  };
}
