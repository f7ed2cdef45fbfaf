// A payment of an order or a top-up at a provider. Amounts are integer won, times are ms.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { PayableKind } from './payable.js';

export const paymentProviders = ['approval', 'sandbox', 'portone'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

export const payMethods = ['card', 'easy_pay', 'transfer', 'mobile'] as const;
export type PayMethod = (typeof payMethods)[number];

/** The outcomes that a sandbox payment can be asked for. */
export const sandboxOutcomes = ['paid', 'declined', 'abandoned'] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

/**
 * pending: nothing is known to be charged. confirming: the provider was asked to charge and its answer is not certain
 * yet. late: paid when the order could no longer be paid; refunded in full. failed: charged a different amount than
 * the order's; refunded in full. cancelled: refunded in full.
 */
export const paymentStatuses = ['pending', 'confirming', 'paid', 'late', 'failed', 'cancelled'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/**
 * ask: the provider is about to be asked to charge. charged: it holds the order's amount, and the order accepted it;
 * charged_late: the order could not accept it. mismatch: it holds something else. not_charged, declined: it holds
 * nothing, and the payer may try again. returned: it held the amount and has refunded all of it.
 */
export const paymentEvents = [
  'ask',
  'charged',
  'charged_late',
  'mismatch',
  'not_charged',
  'declined',
  'returned',
] as const;
export type PaymentEvent = (typeof paymentEvents)[number];

const nowhere: Readonly<Record<PaymentEvent, null>> = {
  ask: null,
  charged: null,
  charged_late: null,
  mismatch: null,
  not_charged: null,
  declined: null,
  returned: null,
};

const settled = {
  charged: 'paid',
  charged_late: 'late',
  mismatch: 'failed',
  // Paid and refunded before it was fetched: the order has not been paid, and its payment id is used up.
  returned: 'cancelled',
} as const;

/** The next status for each status and event; null: no change. */
export const paymentTransitions: Readonly<Record<PaymentStatus, Readonly<Record<PaymentEvent, PaymentStatus | null>>>> =
  {
    // declined: an attempt at the provider failed; the reason is stored.
    pending: { ...nowhere, ...settled, ask: 'confirming', declined: 'pending' },
    confirming: { ...nowhere, ...settled, not_charged: 'pending', declined: 'pending' },
    paid: { ...nowhere, returned: 'cancelled' },
    // Late and mismatched payments keep their status; cancelledWon tells how much was refunded.
    late: nowhere,
    failed: nowhere,
    cancelled: nowhere,
  };

export const paymentFields = {
  /** The number of the order, or the id of the top-up. */
  orderNo: text(),
  accountId: int(),
  kind: text<PayableKind>(),
  provider: text<PaymentProviderName>(),
  status: text<PaymentStatus>().initially('pending'),
  /** Its price. */
  amountWon: int(),
  /** The provider's transaction id. */
  txId: text().orNull.initially(null),
  method: text().orNull.initially(null),
  receiptUrl: text().orNull.initially(null),
  /** Why the last attempt failed; it stays payable while the payment is pending. */
  failureCode: text().orNull.initially(null),
  paidAt: int().orNull.initially(null),
  cancelledWon: int().initially(0),
  /** When the provider was last asked to charge. */
  askedAt: int().orNull.initially(null),
  /** Fetches since the payment last changed. */
  attempts: int().initially(0),
  /** When to fetch the payment again; null: no change is expected. */
  fetchAt: int().orNull,
  createdAt: int(),
  updatedAt: int(),
};
export type Payment = RecordOf<typeof paymentFields>;

/** Whether it can still be used to pay: nothing has been charged so far. */
export const isOpen = (payment: Pick<Payment, 'status'>): boolean =>
  payment.status === 'pending' || payment.status === 'confirming';

export interface FetchMoment {
  readonly kind: PayableKind;
  readonly status: PaymentStatus;
  readonly attempts: number;
  readonly createdAt: number;
  readonly askedAt: number | null;
  readonly paidAt: number | null;
  /** Whether this answer of the provider is certain. */
  readonly certain: boolean;
  /** Whether the payment can change at the provider without a request from here. */
  readonly remote: boolean;
}

/**
 * Returns when to fetch the payment again, or null for never. Intervals double from one fetch to the next.
 * Without a certain answer, there is always a next fetch. A payment that may still be made (an open pay window) is
 * fetched steadily until its pay link expires, because webhooks can be lost, and occasionally for `payment_watch_ms`
 * after that. A paid one is fetched for `payment_recheck_total_ms`, because of chargebacks and refunds made at the
 * provider.
 */
export function nextFetch(payment: FetchMoment, now: number, limits: Limits): number | null {
  const { status, attempts, certain, remote, createdAt, paidAt } = payment;
  const wait = (first: number, most: number) => now + Math.min(most, first * 2 ** Math.min(attempts, 30));
  const soon = wait(limits.payment_fetch_ms, limits.payment_fetch_max_ms);
  if (status === 'confirming') {
    // Also at the moment when the order stops waiting.
    const patience = (payment.askedAt ?? createdAt) + limits.payment_confirming_ms;
    return now < patience ? Math.min(soon, patience) : soon;
  }
  if (!certain) return soon;
  if (!remote) return null;
  if (status === 'pending') {
    const payable = payment.kind === 'order' ? limits.pay_link_ms : limits.topup_ms;
    if (now < createdAt + payable) return now + limits.payment_poll_ms;
    return soon <= createdAt + limits.payment_watch_ms ? soon : null;
  }
  if (status !== 'paid' || paidAt === null) return null;
  const later = wait(limits.payment_recheck_ms, limits.payment_recheck_max_ms);
  return later <= paidAt + limits.payment_recheck_total_ms ? later : null;
}
