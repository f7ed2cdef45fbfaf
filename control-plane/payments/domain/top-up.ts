// A top-up: credit in US dollars, paid in won at a rate that is fixed when it is created.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { RateSource } from './exchange-rate.js';
import type { PaymentStatus } from './payment.js';

/** open: can be paid. credited: its payment was accepted and its credit entered. */
export const topUpStates = ['open', 'credited', 'expired', 'cancelled'] as const;
export type TopUpState = (typeof topUpStates)[number];
export const topUpEvents = ['credit', 'expire', 'cancel'] as const;
export type TopUpEvent = (typeof topUpEvents)[number];

const over = { credit: null, expire: null, cancel: null };

/** Money that leaves a credited top-up is in its payment and in the ledger of credit. Null: nothing happens. */
export const topUpTransitions: Readonly<Record<TopUpState, Readonly<Record<TopUpEvent, TopUpState | null>>>> = {
  open: { credit: 'credited', expire: 'expired', cancel: 'cancelled' },
  credited: over,
  expired: over,
  cancelled: over,
};

export const topUpFields = {
  orderId: text(),
  accountId: int(),
  /** The person who created it. */
  userId: text(),
  state: text<TopUpState>().initially('open'),
  usd: int(),
  creditMicroUsd: int(),
  amountWon: int(),
  fxDay: text(),
  fxSource: text<RateSource>(),
  krwPerUsd: text(),
  createdAt: int(),
  expiresAt: int(),
};
export type TopUp = RecordOf<typeof topUpFields>;

export const topUpStatuses = ['pending', 'confirming', 'paid', 'failed', 'expired', 'cancelled'] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** Returns the status that follows from the top-up and its payment. */
export function topUpStatus(
  { state, amountWon }: Pick<TopUp, 'state' | 'amountWon'>,
  payment: { readonly status: PaymentStatus; readonly cancelledWon: number },
): TopUpStatus {
  switch (payment.status) {
    case 'confirming':
    case 'failed':
    case 'cancelled':
      return payment.status;
    case 'paid':
      return payment.cancelledWon >= amountWon ? 'cancelled' : 'paid';
    case 'pending':
    case 'late':
      if (state === 'expired' || state === 'cancelled') return state;
      return payment.status === 'pending' ? 'pending' : 'failed';
  }
}
