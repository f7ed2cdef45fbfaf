import type { FoundCancellation } from './provider-payment.js';

/** A payment at a provider that this service plays itself. */
export interface LocalPayment {
  readonly state: 'paid' | 'failed';
  readonly totalWon: number;
  readonly method: string;
  readonly paidAt: number | null;
  readonly failureCode: string | null;
  /** The id of each is the idempotency key under which it was asked for. */
  readonly cancellations: readonly FoundCancellation[];
}
