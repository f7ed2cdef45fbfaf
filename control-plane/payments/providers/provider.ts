// The port of payment providers. Everything a provider knows of a payment goes by our order number.
import type { PayMethod, PaymentProviderName, SandboxOutcome } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';

/** What is to be paid. */
export interface Charge {
  readonly orderNo: string;
  /** What the payer reads, e.g. `2 × M4 Pro, 48 h`. */
  readonly orderName: string;
  readonly amountWon: number;
  readonly method: PayMethod;
  /** Where the payer's browser comes back to. */
  readonly returnUrl: string;
}

/** What the payer's browser needs to pay; null: nothing, the payment can be confirmed at once. */
export type Checkout = {
  /** Address of the provider's script. */
  readonly script: string;
  /** Nothing is charged before we confirm. */
  readonly manualConfirm: boolean;
  /** As the script takes it. */
  readonly request: Readonly<Record<string, string | number | boolean>>;
} | null;

/** What the payer's browser brings back. */
export interface Proof {
  readonly paymentToken: string | null;
  readonly txId: string | null;
  readonly outcome: SandboxOutcome;
}

/**
 * look: a look at the provider will tell. declined, mismatch, nothing: it has not been charged, for certain: the
 * payer's means were refused, the proof is of another amount, the payer has gone away.
 */
export type ConfirmAnswer =
  | { readonly answer: 'look' | 'mismatch' | 'nothing' }
  | { readonly answer: 'declined'; readonly code: string };

export interface CancelRequest {
  readonly orderNo: string;
  /** Null: all that is left. */
  readonly amountWon: number | null;
  readonly reason: string;
  /** What we believe can still be cancelled; the provider refuses when it knows better. */
  readonly remaining: number;
  /** Two requests with the same key are one. 16 to 256 characters. */
  readonly idempotencyKey: string;
}

export type CancelAnswer =
  /** Taken, or done before: a look at the provider will tell. */
  { readonly answer: 'look' } | { readonly answer: 'refused'; readonly code: string };

export type WebhookAnswer =
  /** Something about this payment has changed; what, a look will tell. */
  | { readonly kind: 'payment'; readonly orderNo: string; readonly disputed: boolean }
  /** Rightly signed, and of no interest. */
  | { readonly kind: 'ignored' }
  /** Not from the provider, too old, or not whole; `header` is what is wrong. */
  | { readonly kind: 'refused'; readonly header: string };

export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** False: paying is agreeing, and nothing goes into the ledger. */
  readonly movesMoney: boolean;
  /** Things can happen there that nobody here has asked for. */
  readonly remote: boolean;
  /** Expected of every payment; null: this provider knows no stores. */
  readonly storeId: string | null;
  readonly testAllowed: boolean;
  /** Prepares a payment. Harmless to repeat. Answers `paid` when it has been made already. */
  start(charge: Charge): Promise<{ paid: boolean; checkout: Checkout }>;
  /** Asks the provider to charge. The caller has made sure that this survives a crash. */
  confirm(charge: Charge, proof: Proof): Promise<ConfirmAnswer>;
  lookup(orderNo: string): Promise<FoundPayment>;
  cancel(request: CancelRequest): Promise<CancelAnswer>;
  /** @param headers as node gives them; a header sent twice is refused */
  readWebhook(
    body: Buffer,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): WebhookAnswer;
}

/**
 * The provider gave no answer, or none that can be understood: what was asked for may have been done or not. Only
 * a later look can tell.
 */
export class ProviderUncertain extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUncertain';
  }
}
