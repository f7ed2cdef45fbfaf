// A refund (cancellation at the provider): decided in one transaction, carried out afterwards.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import { cancellableOf, type FoundCancellation, type FoundPayment } from './provider-payment.js';

/**
 * void: the money had already been refunded by somebody else. failed: the provider keeps refusing; an operator must
 * act.
 */
export type CancellationStatus = 'open' | 'succeeded' | 'void' | 'failed';

export const cancellationFields = {
  cancellationId: text(),
  orderNo: text(),
  accountId: int(),
  /** Null: the whole charge, in any amount and currency. */
  amountWon: int().orNull,
  /** Credit reserved until the money has gone; null: it bought none. */
  creditMicroUsd: int().orNull,
  /** Why the order ended, or what was wrong with the payment. */
  reason: text(),
  status: text<CancellationStatus>().initially('open'),
  /** The provider's id of the cancellation. */
  providerRef: text().orNull.initially(null),
  lastError: text().orNull.initially(null),
  /** Number of fetches and requests at the provider. */
  attempts: int().initially(0),
  /** Number of refusals; each retry after a refusal is a new request. */
  refusals: int().initially(0),
  nextAttemptAt: int().orNull,
  createdAt: int(),
  endedAt: int().orNull.initially(null),
};
export type Cancellation = RecordOf<typeof cancellationFields>;

const sentences: Readonly<Record<string, string>> = {
  no_capacity: 'No Mac was available',
  refunded_by_operator: 'Refunded by the operator',
  paid_too_late: 'Paid when the order could no longer be paid',
  paid_without_consent: 'Paid without consent',
  payment_mismatch: 'The payment does not match the order',
  withdrawn: 'Credit withdrawn',
};

/**
 * The reason that is sent to the provider. It ends with a marker of this attempt, which is found in the provider's
 * list at any time; providers forget idempotency keys after hours.
 */
export const reasonText = (c: Pick<Cancellation, 'cancellationId' | 'refusals' | 'reason'>): string =>
  `${sentences[c.reason] ?? 'Refund'} (${tryOf(c)})`;

/** Identifies one attempt at the provider: its idempotency key, and the marker in its reason. */
export const tryOf = (c: Pick<Cancellation, 'cancellationId' | 'refusals'>): string =>
  `${c.cancellationId}-${c.refusals}`;

/**
 * The next step. ask: send the cancellation, with the amount that must still be cancellable. wait: a refund is in
 * progress, or the provider's state is inconclusive. done: refunded. refused: this attempt was refused. nothing_left:
 * others have already refunded the money.
 */
export type CancellationStep =
  | { readonly do: 'ask'; readonly amount: number | null; readonly remaining: number }
  | { readonly do: 'done' | 'refused'; readonly found: FoundCancellation }
  | { readonly do: 'wait' | 'nothing_left' };

const isOf =
  (c: Pick<Cancellation, 'cancellationId'>) =>
  ({ reason }: FoundCancellation) =>
    reason.includes(`(${c.cancellationId}-`);

/**
 * Returns how much of a payment has been refunded or is being refunded, at the provider or from here. A chargeback is no
 * refund: the payer's bank has taken the money.
 *
 * @param open refunds that were decided here and are not done
 */
export function refundedOf(
  found: FoundPayment,
  open: readonly Pick<Cancellation, 'cancellationId' | 'amountWon'>[],
): number {
  const done = found.cancellations.filter(({ status, chargeback }) => status === 'succeeded' && !chargeback);
  const coming = open.filter((one) => !done.some(isOf(one)));
  const sum = done.reduce((total, { amount }) => total + amount, 0);
  return coming.reduce((total, { amountWon }) => total + (amountWon ?? 0), sum);
}

/** Defined for every state that a provider can report. */
export function nextStep(c: Cancellation, found: FoundPayment): CancellationStep {
  // An attempt that was reported as failed may have succeeded nevertheless, so any of ours counts.
  const ours = found.cancellations.filter(isOf(c));
  const done = ours.find(({ status }) => status === 'succeeded');
  if (done) return { do: 'done', found: done };
  if (ours.some(({ status }) => status === 'requested')) return { do: 'wait' };
  const refused = ours.find(({ reason }) => reason.endsWith(`(${tryOf(c)})`));
  if (refused) return { do: 'refused', found: refused };
  if (found.state === 'cancelled') return { do: 'nothing_left' };
  if (found.state !== 'paid' && found.state !== 'partially_cancelled') return { do: 'wait' };
  const remaining = cancellableOf(found);
  // Cancellations requested by others may still fail; then what they would have refunded is ours to refund.
  const isContested = found.cancellations.some(({ status }) => status === 'requested');
  if (isContested && remaining < (c.amountWon ?? found.total)) return { do: 'wait' };
  if (remaining <= 0) return { do: 'nothing_left' };
  // When somebody else has refunded a part, only the rest remains.
  return { do: 'ask', amount: c.amountWon === null ? null : Math.min(c.amountWon, remaining), remaining };
}

/** Time of the next attempt; null after the last refusal that is retried: then an operator must act. */
export function nextAttempt(
  c: Pick<Cancellation, 'attempts' | 'refusals'>,
  now: number,
  limits: Limits,
): number | null {
  if (c.refusals >= limits.payment_cancel_refusals) return null;
  return now + Math.min(limits.payment_fetch_max_ms, limits.payment_fetch_ms * 2 ** Math.min(c.attempts, 30));
}
