// The port of payment providers. Payments are identified by our order number.
import type { PayMethod, PaymentProviderName, SandboxOutcome } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';

/** A charge for an order. */
export interface Charge {
  readonly orderNo: string;
  /** Shown to the payer, e.g. `2 × M4 Pro, 48 h`. */
  readonly orderName: string;
  readonly amountWon: number;
  readonly method: PayMethod;
  /** URL that the payer's browser returns to. */
  readonly returnUrl: string;
}

/** Data for the payer's browser; null: the payment can be confirmed at once. */
export type Checkout = {
  /** URL of the provider's script. */
  readonly script: string;
  /** Nothing is charged before our confirmation. */
  readonly manualConfirm: boolean;
  /** Parameters of the script. */
  readonly request: Readonly<Record<string, string | number | boolean>>;
} | null;

/** What the payer's browser returns. */
export interface Proof {
  readonly paymentToken: string | null;
  readonly txId: string | null;
  readonly outcome: SandboxOutcome;
}

/**
 * look: unknown until the payment is fetched. The others have certainly not been charged: declined: the means of
 * payment were refused; mismatch: the proof is of another amount; nothing: the payer left.
 */
export type ConfirmAnswer =
  | { readonly answer: 'fetch' | 'mismatch' | 'nothing' }
  | { readonly answer: 'declined'; readonly code: string };

export interface CancelRequest {
  readonly orderNo: string;
  /** Null: the whole remainder. */
  readonly amountWon: number | null;
  readonly reason: string;
  /** Amount that should still be cancellable; the provider refuses when it is not. */
  readonly remaining: number;
  /** Requests with the same key are executed once. 16 to 256 characters. */
  readonly idempotencyKey: string;
}

export type CancelAnswer =
  /** Accepted, or done before: fetch the payment to find out. */
  { readonly answer: 'fetch' } | { readonly answer: 'refused'; readonly code: string };

export type WebhookAnswer =
  /** This payment has changed; fetch it. */
  | { readonly kind: 'payment'; readonly orderNo: string; readonly disputed: boolean }
  /** Validly signed, and irrelevant. */
  | { readonly kind: 'ignored' }
  /** Not from the provider, too old, or incomplete; `header` says what is wrong. */
  | { readonly kind: 'refused'; readonly header: string };

export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** False: the approval is the payment, and nothing goes into the ledger. */
  readonly movesMoney: boolean;
  /** Payments can change there without a request from here. */
  readonly remote: boolean;
  /** Expected of every payment; null: this provider has no stores. */
  readonly storeId: string | null;
  readonly testAllowed: boolean;
  /** Prepares a payment. Idempotent. Returns `paid` when it has already been made. */
  start(charge: Charge): Promise<{ paid: boolean; checkout: Checkout }>;
  /** Asks the provider to charge. The caller has recorded it durably before. */
  confirm(charge: Charge, proof: Proof): Promise<ConfirmAnswer>;
  lookup(orderNo: string): Promise<FoundPayment>;
  cancel(request: CancelRequest): Promise<CancelAnswer>;
  /** @param headers as node provides them; duplicate headers are refused */
  readWebhook(body: Buffer, headers: Readonly<Record<string, string | readonly string[] | undefined>>): WebhookAnswer;
}

/**
 * The provider gave no answer or an invalid one: the request may have been executed. Only fetching the payment can
 * tell.
 */
export class ProviderUncertain extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderUncertain';
  }
}
