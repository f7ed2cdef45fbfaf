// What a receipt says of a paid order or top-up. Pure. Amounts are won, VAT included unless they say otherwise.
import type { CreditPayment, Order, Payment, PayPage, TopUpDetail } from '../../../../client/types.js';

export interface ReceiptFacts {
  readonly number: string;
  readonly paidAt: string;
  readonly seller: string | null;
  readonly amountWon: number;
  readonly supplyWon: number;
  readonly vatWon: number;
  /** How it was paid. With credit, the VAT was charged when the credit was bought. */
  readonly paidWith:
    | { readonly by: 'credit'; readonly microUsd: number }
    | { readonly by: Exclude<Payment['provider'], 'approval'> };
  /** As the provider calls it; null: unknown, or none. */
  readonly method: string | null;
  /** The provider's number of the payment; null: none. */
  readonly paymentId: string | null;
  readonly refundedWon: number;
}

/** Null: nothing was paid. */
export function receiptOfOrder(
  order: Pick<Order, 'order_no' | 'paid_at' | 'amount_won' | 'supply_won' | 'vat_won' | 'refunded_won'>,
  pay: Pick<PayPage, 'payment'> & Partial<Pick<PayPage, 'credit_payment' | 'seller'>>,
): ReceiptFacts | null {
  const paidWith = sourceOf(pay.credit_payment ?? null, pay.payment);
  if (order.paid_at === null || order.amount_won === 0 || !paidWith) return null;
  return {
    number: order.order_no,
    paidAt: order.paid_at,
    seller: pay.seller ?? null,
    amountWon: order.amount_won,
    supplyWon: order.supply_won,
    vatWon: order.vat_won,
    paidWith,
    method: pay.credit_payment ? null : (pay.payment?.method ?? null),
    paymentId: pay.credit_payment ? null : (pay.payment?.payment_id ?? null),
    refundedWon: order.refunded_won,
  };
}

function sourceOf(credit: CreditPayment | null, payment: Payment | null): ReceiptFacts['paidWith'] | null {
  if (credit) return { by: 'credit', microUsd: credit.micro_usd };
  // An approval moves no money.
  return payment && payment.provider !== 'approval' ? { by: payment.provider } : null;
}

/** Null: nothing was paid, or what was paid was refunded as a whole because it could not be accepted. */
export function receiptOfTopUp(topUp: TopUpDetail): ReceiptFacts | null {
  const { payment, paid_at } = topUp;
  const accepted = topUp.status === 'paid' || (topUp.status === 'cancelled' && topUp.cancelled_krw > 0);
  if (paid_at === null || !accepted || !payment || payment.provider === 'approval') return null;
  return {
    number: topUp.order_id,
    paidAt: paid_at,
    seller: topUp.seller,
    amountWon: topUp.amount_krw,
    supplyWon: topUp.supply_krw,
    vatWon: topUp.vat_krw,
    paidWith: { by: payment.provider },
    method: topUp.method,
    paymentId: topUp.payment_id,
    refundedWon: topUp.cancelled_krw,
  };
}
