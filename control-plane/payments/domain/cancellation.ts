// Money that is to go back to a payer: decided in one transaction, carried out at the provider afterwards.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { Limits } from '../../platform/domain/limits.js';
import { cancellableOf, type FoundCancellation, type FoundPayment } from './provider-payment.js';

/** void: somebody else had sent the money back before. failed: the provider keeps saying no; see to it by hand. */
export type CancellationStatus = 'open' | 'succeeded' | 'void' | 'failed';

export const cancellationFields = {
  cancellationId: text(),
  orderNo: text(),
  accountId: int(),
  /** Null: all of it, whatever and in whatever currency was charged. */
  amountWon: int().orNull,
  /** A word: why the order ended, or what was wrong with the payment. */
  reason: text(),
  status: text<CancellationStatus>().initially('open'),
  /** The provider's id of it. */
  providerRef: text().orNull.initially(null),
  lastError: text().orNull.initially(null),
  /** Times the provider was looked at or asked. */
  attempts: int().initially(0),
  /** Times the provider has said no; each try after a no is a new request to it. */
  refusals: int().initially(0),
  nextAttemptAt: int().orNull,
  createdAt: int(),
  endedAt: int().orNull.initially(null),
};
export type Cancellation = RecordOf<typeof cancellationFields>;

const sentences: Readonly<Record<string, string>> = {
  no_capacity: 'No Mac could be given',
  refunded_by_operator: 'Refunded by the operator',
  paid_too_late: 'Paid when the order could not be paid any more',
  paid_without_consent: 'Paid before anybody had agreed',
  payment_mismatch: 'The payment does not match the order',
};

/**
 * The reason as the provider gets it. It ends with a mark by which this very try is found again in what the
 * provider lists, however late: a provider forgets idempotency keys after hours.
 */
export const reasonText = (c: Pick<Cancellation, 'cancellationId' | 'refusals' | 'reason'>): string =>
  `${sentences[c.reason] ?? 'Refund'} (${tryOf(c)})`;

/** Names one try at the provider: its idempotency key, and the mark in its reason. */
export const tryOf = (c: Pick<Cancellation, 'cancellationId' | 'refusals'>): string =>
  `${c.cancellationId}-${c.refusals}`;

/**
 * What to do next. ask: send it, with what must still be cancellable. wait: money is on its way, or the provider
 * says nothing that fits. done: it has gone. refused: this try came to nothing. nothing_left: others have sent
 * the money back already.
 */
export type CancellationStep =
  | { readonly do: 'ask'; readonly amount: number | null; readonly remaining: number }
  | { readonly do: 'done' | 'refused'; readonly found: FoundCancellation }
  | { readonly do: 'wait' | 'nothing_left' };

/** Total over what a provider can say of the payment. */
export function nextStep(c: Cancellation, found: FoundPayment): CancellationStep {
  // A try that was said to have failed may have gone through all the same: any of them counts.
  const ours = found.cancellations.filter(({ reason }) => reason.includes(`(${c.cancellationId}-`));
  const done = ours.find(({ status }) => status === 'succeeded');
  if (done) return { do: 'done', found: done };
  if (ours.some(({ status }) => status === 'requested')) return { do: 'wait' };
  const refused = ours.find(({ reason }) => reason.endsWith(`(${tryOf(c)})`));
  if (refused) return { do: 'refused', found: refused };
  if (found.state === 'cancelled') return { do: 'nothing_left' };
  if (found.state !== 'paid' && found.state !== 'partially_cancelled') return { do: 'wait' };
  const remaining = cancellableOf(found);
  // What others have asked for may yet come to nothing; then it is our turn.
  if (remaining <= 0) {
    return { do: found.cancellations.some(({ status }) => status === 'requested') ? 'wait' : 'nothing_left' };
  }
  // When somebody else has sent a part back, only the rest can follow.
  return { do: 'ask', amount: c.amountWon === null ? null : Math.min(c.amountWon, remaining), remaining };
}

/** When to try again, or null: the provider has said no so often that a person must see to it. */
export function nextAttempt(
  c: Pick<Cancellation, 'attempts' | 'refusals'>,
  now: number,
  limits: Limits,
): number | null {
  if (c.refusals >= limits.payment_cancel_refusals) return null;
  return now + Math.min(limits.payment_look_max_ms, limits.payment_look_ms * 2 ** Math.min(c.attempts, 30));
}
