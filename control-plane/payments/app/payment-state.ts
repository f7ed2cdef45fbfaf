// An order with its payment as its payer sees it, and whether it can be paid.
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { type DetailedOrder, detailedOrders, findOrderOf } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import { isOpen, type Payment } from '../domain/payment.js';
import type { Checkout } from '../providers/provider.js';
import { findPayment } from '../store/payments.js';

/** An order with its payment. */
export interface PaymentState extends DetailedOrder {
  /** Null: no payment was started. */
  readonly payment: Payment | null;
  /** Data for the payer's browser; null when it has nothing to do. */
  readonly checkout: Checkout;
}

/** Throws not_found, also for another account's order. */
export async function findOrder(q: Queries, caller: Caller, orderNo: string): Promise<Order> {
  const order = await findOrderOf(q, caller.account.id, orderNo);
  if (!order) throw new ApiError('not_found', { message: 'No such order.' });
  return order;
}

/** Throws not_found, also for another account's order. */
export async function paymentState(
  q: Queries,
  caller: Caller,
  orderNo: string,
  checkout: Checkout = null,
): Promise<PaymentState> {
  const order = await findOrder(q, caller, orderNo);
  const [detailed] = await detailedOrders(q, [order]);
  if (!detailed) throw new Error(`order ${orderNo} has no details`);
  return { ...detailed, payment: await findPayment(q, orderNo), checkout };
}

/** Returns the state after a payment has ended; throws when it did not pay the order. */
export async function stateAfter(q: Queries, caller: Caller, payment: Payment): Promise<PaymentState> {
  const state = await paymentState(q, caller, payment.orderNo);
  if (payment.failureCode === 'payment_mismatch') throw new ApiError('payment_mismatch');
  if (payment.status === 'paid' || isOpen(payment)) return state;
  if (state.order.status === 'expired') throw new ApiError('order_expired');
  throw new ApiError('order_not_payable');
}

/** Throws unless the order can be paid now. */
export function requirePayable(order: Order, now: number): void {
  if (order.status === 'expired') throw new ApiError('order_expired');
  if (order.status !== 'awaiting_payment') throw new ApiError('order_not_payable');
  if (order.payExpiresAt <= now) throw new ApiError('order_expired');
}
