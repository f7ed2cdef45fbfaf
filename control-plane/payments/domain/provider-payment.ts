// What a provider says of one payment, in one form for every provider, and what follows from it.

/**
 * none: the provider has never heard of it. ready: nothing has been charged (a pay window may be open).
 * pending: the provider is about to decide.
 */
export const foundStates = [
  'none',
  'ready',
  'pending',
  'paid',
  'failed',
  'cancelled',
  'partially_cancelled',
] as const;
export type FoundState = (typeof foundStates)[number];

export interface FoundCancellation {
  /** Of the provider; the same at every look. */
  readonly id: string;
  readonly status: 'requested' | 'succeeded' | 'failed';
  /** In the payment's currency. */
  readonly amount: number;
  readonly reason: string;
  /** Taken back by the payer's bank, against our will. */
  readonly chargeback: boolean;
  /** When the money went back; null while it has not. */
  readonly at: number | null;
}

export interface FoundPayment {
  readonly state: FoundState;
  /** The provider's name for it: our order number, unless the answer is about something else. */
  readonly id: string;
  readonly storeId: string | null;
  /** Of the whole charge, discounts that others pay included. */
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

/** What a payment has to be to pay an order. */
export interface ExpectedPayment {
  readonly id: string;
  readonly totalWon: number;
  /** Null: the provider knows no stores. */
  readonly storeId: string | null;
  /** Play money will do. */
  readonly testAllowed: boolean;
}

export type Mismatch = 'id' | 'store' | 'currency' | 'channel' | 'total';

/** Null when the payment found is the one expected. */
export function mismatchOf(expected: ExpectedPayment, found: FoundPayment): Mismatch | null {
  if (found.id !== expected.id) return 'id';
  if (found.storeId !== expected.storeId) return 'store';
  if (found.currency !== 'KRW') return 'currency';
  if (!found.live && !expected.testAllowed) return 'channel';
  return found.total === expected.totalWon ? null : 'total';
}

/**
 * charged: exactly what was expected is there. wrong: something is there that has to go back. foreign: the answer
 * is about a payment that is not ours, so it says nothing about ours. returned: all of it has gone back.
 */
export type Verdict = 'charged' | 'wrong' | 'foreign' | 'returned' | 'declined' | 'nothing' | 'undecided';

/** What a look at the provider says about the money of an order. */
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
      // Whoever took a part of it back: what is left does not pay the order.
      return 'wrong';
    case 'paid':
      return mismatch === null ? 'charged' : 'wrong';
  }
}

/** Whether it is won that moved, for the ledger: not another currency, and no play money. */
export function isWon(expected: ExpectedPayment, found: FoundPayment): boolean {
  const mismatch = mismatchOf(expected, found);
  return (
    (mismatch === null || mismatch === 'total') &&
    (found.state === 'paid' || found.state === 'cancelled' || found.state === 'partially_cancelled')
  );
}

const sumOf = (cancellations: readonly FoundCancellation[]) =>
  cancellations.reduce((sum, { amount }) => sum + amount, 0);

/** What has gone back. */
export const returnedOf = (found: FoundPayment): number =>
  sumOf(found.cancellations.filter(({ status }) => status === 'succeeded'));

/** What can still be sent back: neither gone nor on its way. */
export const cancellableOf = (found: FoundPayment): number =>
  found.total - sumOf(found.cancellations.filter(({ status }) => status !== 'failed'));
