// A payment of an order at a provider, and money that goes back. Amounts are integer won, times are ms.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';

export const paymentProviders = ['approval', 'sandbox', 'portone'] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

export const payMethods = ['card', 'easy_pay', 'transfer', 'mobile'] as const;
export type PayMethod = (typeof payMethods)[number];

/** How a payment at the sandbox is to end. */
export const sandboxOutcomes = ['paid', 'declined', 'abandoned'] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

/**
 * pending: nothing has been charged that we know of. confirming: the provider has been asked and has not answered
 * for certain. late: it was paid when the order could not be paid any more; all of it goes back. failed: something
 * else than the order's amount was charged; all of it goes back. cancelled: all of it has gone back.
 */
export const paymentStatuses = ['pending', 'confirming', 'paid', 'late', 'failed', 'cancelled'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/**
 * ask: the provider is about to be asked to charge. charged: it holds the order's amount, and the order took it;
 * charged_late: the order could not take it. mismatch: it holds something else. not_charged, declined: it holds
 * nothing, and a person may try again. returned: it held the amount and has given all of it back.
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
  // It came and went before anybody looked: the order has not been paid, and its payment id is used up.
  returned: 'cancelled',
} as const;

/** Where each event leads from each status; null: it changes nothing there. */
export const paymentTransitions: Readonly<
  Record<PaymentStatus, Readonly<Record<PaymentEvent, PaymentStatus | null>>>
> = {
  // declined: somebody tried at the provider; why it failed is kept.
  pending: { ...nowhere, ...settled, ask: 'confirming', declined: 'pending' },
  confirming: { ...nowhere, ...settled, not_charged: 'pending', declined: 'pending' },
  paid: { ...nowhere, returned: 'cancelled' },
  // What became of late and wrong money stays to be seen; how much has gone back says cancelledWon.
  late: nowhere,
  failed: nowhere,
  cancelled: nowhere,
};

export const paymentFields = {
  orderNo: text(),
  accountId: int(),
  provider: text<PaymentProviderName>(),
  status: text<PaymentStatus>().initially('pending'),
  /** What the order costs. */
  amountWon: int(),
  /** The provider's transaction id. */
  txId: text().orNull.initially(null),
  method: text().orNull.initially(null),
  receiptUrl: text().orNull.initially(null),
  /** Why the last attempt failed; while the payment is pending the order stays payable. */
  failureCode: text().orNull.initially(null),
  paidAt: int().orNull.initially(null),
  cancelledWon: int().initially(0),
  /** When the provider was last asked to charge. */
  askedAt: int().orNull.initially(null),
  /** Looks since the payment last changed. */
  attempts: int().initially(0),
  /** When to look at the provider again; null: nothing is expected there. */
  lookAt: int().orNull,
  createdAt: int(),
  updatedAt: int(),
};
export type Payment = RecordOf<typeof paymentFields>;

/** A person can still pay with it: nothing has been charged so far. */
export const isOpen = (payment: Pick<Payment, 'status'>): boolean =>
  payment.status === 'pending' || payment.status === 'confirming';

export interface LookMoment {
  readonly status: PaymentStatus;
  readonly attempts: number;
  readonly createdAt: number;
  readonly askedAt: number | null;
  readonly paidAt: number | null;
  /** The provider has answered this time. */
  readonly certain: boolean;
  /** Things can happen at the provider that nobody here has asked for. */
  readonly remote: boolean;
}

/**
 * When to look at the provider again, or null for never. Waits double from one look to the next.
 *
 * While the provider gives no certain answer, for ever. A payment that may still be made (a pay window left open)
 * is looked at steadily while its pay link lasts, since messages can be lost, and now and then for a day; one that
 * was paid, from time to time for half a year, because of chargebacks.
 */
export function nextLook(payment: LookMoment, now: number, limits: Limits): number | null {
  const { status, attempts, certain, remote, createdAt, paidAt } = payment;
  const wait = (first: number, most: number) => now + Math.min(most, first * 2 ** Math.min(attempts, 30));
  const soon = wait(limits.payment_look_ms, limits.payment_look_max_ms);
  if (status === 'confirming') {
    // At the moment when the order need not wait any more, too.
    const patience = (payment.askedAt ?? createdAt) + limits.payment_confirming_ms;
    return now < patience ? Math.min(soon, patience) : soon;
  }
  if (!certain) return soon;
  if (!remote) return null;
  if (status === 'pending') {
    if (now < createdAt + limits.pay_link_ms) return now + limits.payment_poll_ms;
    return soon <= createdAt + limits.payment_watch_ms ? soon : null;
  }
  if (status !== 'paid' || paidAt === null) return null;
  const later = wait(limits.payment_recheck_ms, limits.payment_recheck_total_ms);
  return later <= paidAt + limits.payment_recheck_total_ms ? later : null;
}
