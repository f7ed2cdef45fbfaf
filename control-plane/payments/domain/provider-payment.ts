// A payment as reported by a provider, in one shape for all providers, and its evaluation.

/**
 * none: unknown to the provider. ready: nothing has been charged (a pay window may be open). pending: the provider is
 * about to decide.
 */
export const foundStates = ['none', 'ready', 'pending', 'paid', 'failed', 'cancelled', 'partially_cancelled'] as const;
export type FoundState = (typeof foundStates)[number];

export interface FoundCancellation {
  /** The provider's id, the same in every response. */
  readonly id: string;
  readonly status: 'requested' | 'succeeded' | 'failed';
  /** In the payment's currency. */
  readonly amount: number;
  readonly reason: string;
  /** Taken back by the payer's bank (chargeback). */
  readonly chargeback: boolean;
  /** When the money was refunded; null until then. */
  readonly at: number | null;
}

export interface FoundPayment {
  readonly state: FoundState;
  /** The provider's payment id: our order number, unless the answer is about another payment. */
  readonly id: string;
  readonly storeId: string | null;
  /** Of the whole charge, including discounts paid by others. */
  readonly total: number;
  readonly currency: string;
  /** False: play money of a test channel. */
  readonly live: boolean;
  readonly txId: string | null;
  readonly method: string | null;
  readonly paidAt: number | null;
  readonly receiptUrl: string | null;
  readonly failureCode: string | null;
  readonly cancellations: readonly FoundCancellation[];
}

/** What a payment must match to pay an order. */
export interface ExpectedPayment {
  readonly id: string;
  readonly totalWon: number;
  /** Null: the provider has no stores. */
  readonly storeId: string | null;
  /** Play money is accepted. */
  readonly testAllowed: boolean;
}

export type Mismatch = 'id' | 'store' | 'currency' | 'channel' | 'total';

/** Returns the first mismatch, or null when the payment is as expected. */
export function mismatchOf(expected: ExpectedPayment, found: FoundPayment): Mismatch | null {
  if (found.id !== expected.id) return 'id';
  if (found.storeId !== expected.storeId) return 'store';
  if (found.currency !== 'KRW') return 'currency';
  if (!found.live && !expected.testAllowed) return 'channel';
  return found.total === expected.totalWon ? null : 'total';
}

/**
 * charged: exactly the expected payment. wrong: a payment that must be refunded. foreign: the answer is about a
 * payment that is not ours, so it says nothing about ours. returned: refunded in full.
 */
export type Verdict = 'charged' | 'wrong' | 'foreign' | 'returned' | 'declined' | 'nothing' | 'undecided';

/** Judges what a fetched payment means for the order. */
export function judge(expected: ExpectedPayment, found: FoundPayment): Verdict {
  if (found.state === 'none') return 'nothing';
  const mismatch = mismatchOf(expected, found);
  if (mismatch === 'id' || mismatch === 'store') return 'foreign';
  switch (found.state) {
    case 'ready':
      return 'nothing';
    case 'pending':
      return 'undecided';
    case 'failed':
      return 'declined';
    case 'cancelled':
      return 'returned';
    case 'partially_cancelled':
      // Partly refunded: the rest does not pay the order. What is refunded may also be more than the charge.
      return leftOf(found) > 0 ? 'wrong' : 'returned';
    case 'paid':
      return mismatch === null ? 'charged' : 'wrong';
  }
}

/** Whether the payment is in won and real money, so that it belongs in the ledger. */
export function isWon(expected: ExpectedPayment, found: FoundPayment): boolean {
  const mismatch = mismatchOf(expected, found);
  return (
    (mismatch === null || mismatch === 'total') &&
    (found.state === 'paid' || found.state === 'cancelled' || found.state === 'partially_cancelled')
  );
}

const sumOf = (cancellations: readonly FoundCancellation[]) =>
  cancellations.reduce((sum, { amount }) => sum + amount, 0);

/** Amount refunded so far. */
export const returnedOf = (found: FoundPayment): number =>
  sumOf(found.cancellations.filter(({ status }) => status === 'succeeded'));

/** Amount that has not been refunded. Negative when more was refunded than was charged, by mistake of a bank or provider. */
export const leftOf = (found: FoundPayment): number => found.total - returnedOf(found);

/** Amount that can still be refunded: neither refunded nor in progress. */
export const cancellableOf = (found: FoundPayment): number =>
  found.total - sumOf(found.cancellations.filter(({ status }) => status !== 'failed'));
