// An order with its payment as its payer sees it.
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { type DetailedOrder, detailedOrders, findOrderOf } from '../../renting/app/order-lookup.js';
import type { CreditPayment } from '../domain/credit-payment.js';
import type { Payment } from '../domain/payment.js';
import type { Checkout } from '../providers/provider.js';
import { findCreditPayment } from '../store/credit-payments.js';
import { findPayment } from '../store/payments.js';

/** What a payer is shown of a payment. */
export interface ShownPayment {
  /** Null: no payment was started. */
  readonly payment: Payment | null;
  /** Data for the payer's browser; null when it has nothing to do. */
  readonly checkout: Checkout;
}

/** An order with its payment. */
export interface PaymentState extends DetailedOrder, ShownPayment {
  /** Null: not paid with credit. */
  readonly creditPayment: CreditPayment | null;
}

/** Throws not_found, also for another account's order. */
export async function paymentState(
  q: Queries,
  caller: Caller,
  orderNo: string,
  checkout: Checkout = null,
): Promise<PaymentState> {
  const order = await findOrderOf(q, caller.account.id, orderNo);
  if (!order) throw new ApiError('not_found', { message: 'No such order.' });
  const [detailed] = await detailedOrders(q, [order]);
  if (!detailed) throw new Error(`order ${orderNo} has no details`);
  const creditPayment = await findCreditPayment(q, orderNo);
  return { ...detailed, payment: await findPayment(q, orderNo), creditPayment, checkout };
}
