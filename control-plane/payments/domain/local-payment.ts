import type { FoundCancellation } from './provider-payment.js';

/** A payment at a provider that this service simulates. */
export interface LocalPayment {
  readonly state: 'paid' | 'failed';
  readonly totalWon: number;
  readonly method: string;
  readonly paidAt: number | null;
  readonly failureCode: string | null;
  /** The id of each is the idempotency key of its request. */
  readonly cancellations: readonly FoundCancellation[];
}
