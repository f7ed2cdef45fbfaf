// Orders of Macs as what payments pay for.
import type { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import { findOrderOfAnyAccount } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import { refundedOf } from '../domain/cancellation.js';
import type { Payable } from '../domain/payable.js';
import { findCreditPayment } from '../store/credit-payments.js';
import { readOpenCancellations } from '../store/payment-cancellations.js';
import type { PayableRules } from './payables.js';

/** Changes of an order when its payment has arrived, or can no longer arrive. */
export interface OrderChanges {
  /** Null: the order can no longer be paid. */
  pay(tx: Transaction, order: Order, at: number): Promise<Order | null>;
  /** False: it can no longer be canceled. */
  cancel(tx: Transaction, order: Order, reason: 'canceled_by_person' | 'payment_failed'): Promise<boolean>;
  /** Why its Macs can no longer be made, so that it must not be charged; null: they can. */
  refusal(tx: Transaction, order: Order): Promise<ApiError | null>;
  /** Records how much of the order's money has been refunded in all, by any way. */
  refunded(tx: Transaction, order: Order, totalWon: number): Promise<void>;
}

export function orderPayables(orders: OrderChanges): PayableRules {
  return {
    async find(q, orderNo) {
      const order = await findOrderOfAnyAccount(q, orderNo);
      return order && payableOf(order);
    },
    // Anybody with our public keys can pay at a provider without our page.
    needsConsent: () => true,
    async refusal(tx, orderNo) {
      const order = await findOrderOfAnyAccount(tx, orderNo);
      return order && orders.refusal(tx, order);
    },
    async pay(tx, orderNo, at) {
      const order = await findOrderOfAnyAccount(tx, orderNo);
      return order !== null && (await orders.pay(tx, order, at)) !== null;
    },
    async cancel(tx, orderNo) {
      const order = await findOrderOfAnyAccount(tx, orderNo);
      return order !== null && orders.cancel(tx, order, 'canceled_by_person');
    },
    async unpayable(tx, orderNo) {
      const order = await findOrderOfAnyAccount(tx, orderNo);
      if (order) await orders.cancel(tx, order, 'payment_failed');
    },
    // A refund by this service has changed the order already; one made at the provider has not.
    async wentBack(tx, { orderNo }, found) {
      const order = await findOrderOfAnyAccount(tx, orderNo);
      // Money that never paid the order went back as a whole: it was too late, or credit had paid the order.
      if (!order || order.paidAt === null || (await findCreditPayment(tx, orderNo))) return;
      const total = refundedOf(found, await readOpenCancellations(tx, orderNo));
      await orders.refunded(tx, order, Math.min(total, order.amountWon));
    },
  };
}

function payableOf(order: Order): Payable {
  const { orderNo, accountId, amountWon, payExpiresAt } = order;
  const status = order.status === 'awaiting_payment' ? 'open' : order.status === 'expired' ? 'expired' : 'closed';
  return { kind: 'order', orderNo, accountId, amountWon, payExpiresAt, status, name: orderName(order) };
}

/** The description that the payer sees at the provider. */
export function orderName({ kind, units, tier, hours, items }: Order): string {
  const days = hours / 24;
  const time = `${days} ${days === 1 ? 'day' : 'days'}`;
  if (kind === 'extension') return `${items.length === 1 ? 'Mac' : `${items.length} Macs`}, ${time} more`;
  return `${units} × ${tier}, ${time}`;
}
