// A provider that this service simulates. Its payments are stored apart from the service's own records, so that they
// survive a crash like those of a remote provider.
import type { Clock } from '../../../shared/clock.js';
import type { LocalPayment } from '../domain/local-payment.js';
import type { PaymentProviderName, SandboxOutcome } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';
import type { PaymentProvider } from './provider.js';

export interface LocalBook {
  read(paymentId: string): Promise<LocalPayment | null>;
  /** Reads and writes in one step; null from `change` leaves it unchanged. Returns the stored payment. */
  change(paymentId: string, change: (entry: LocalPayment | null) => LocalPayment | null): Promise<LocalPayment | null>;
}

export interface LocalProviderOptions {
  readonly book: LocalBook;
  readonly clock: Clock;
  readonly name: PaymentProviderName;
  readonly movesMoney: boolean;
  /** The payment method to report. */
  method(asked: string): string;
  outcome(asked: SandboxOutcome): SandboxOutcome;
}

const DECLINED = 'card_declined';

export function createLocalProvider(options: LocalProviderOptions): PaymentProvider {
  const { book, clock, name, movesMoney } = options;
  return {
    name,
    movesMoney,
    remote: false,
    storeId: null,
    testAllowed: false,
    async start({ orderNo }) {
      return { paid: (await book.read(orderNo))?.state === 'paid', checkout: null };
    },
    async confirm({ orderNo, amountWon, method }, proof) {
      const outcome = options.outcome(proof.outcome);
      if (outcome === 'abandoned') return { answer: 'nothing' };
      const made = { totalWon: amountWon, method: options.method(method), cancellations: [] };
      const entry = await book.change(orderNo, (before) => {
        // A payment id can be paid only once.
        if (before?.state === 'paid') return null;
        return outcome === 'declined'
          ? { ...made, state: 'failed', paidAt: null, failureCode: DECLINED }
          : { ...made, state: 'paid', paidAt: clock.now(), failureCode: null };
      });
      return entry?.state === 'failed' ? { answer: 'declined', code: DECLINED } : { answer: 'fetch' };
    },
    async lookup(orderNo) {
      return foundOf(orderNo, await book.read(orderNo));
    },
    async cancel({ orderNo, amountWon, reason, remaining, idempotencyKey }) {
      let refusal: string | null = null;
      await book.change(orderNo, (entry) => {
        if (entry?.state !== 'paid') refusal = 'not_paid';
        if (!entry || refusal !== null) return null;
        if (entry.cancellations.some(({ id }) => id === idempotencyKey)) return null;
        const left = leftOf(entry);
        const amount = amountWon ?? left;
        if (left !== remaining) refusal = 'remaining_differs';
        else if (amount > left || amount <= 0) refusal = 'beyond_remaining';
        if (refusal !== null) return null;
        const at = clock.now();
        const done = {
          id: idempotencyKey,
          status: 'succeeded',
          amount,
          reason,
          chargeback: false,
          at,
        } as const;
        return { ...entry, cancellations: [...entry.cancellations, done] };
      });
      return refusal === null ? { answer: 'fetch' } : { answer: 'refused', code: refusal };
    },
    readWebhook: () => ({ kind: 'refused', header: 'webhook-signature' }),
  };
}

const leftOf = (entry: LocalPayment) => entry.cancellations.reduce((left, { amount }) => left - amount, entry.totalWon);

function foundOf(orderNo: string, entry: LocalPayment | null): FoundPayment {
  return {
    state: stateOf(entry),
    id: orderNo,
    storeId: null,
    total: entry?.totalWon ?? 0,
    currency: 'KRW',
    live: true,
    txId: entry ? `${orderNo}-1` : null,
    method: entry?.method ?? null,
    paidAt: entry?.paidAt ?? null,
    receiptUrl: null,
    failureCode: entry?.failureCode ?? null,
    cancellations: entry?.cancellations ?? [],
  };
}

function stateOf(entry: LocalPayment | null): FoundPayment['state'] {
  if (!entry) return 'none';
  if (entry.state === 'failed') return 'failed';
  if (entry.cancellations.length === 0) return 'paid';
  return leftOf(entry) === 0 ? 'cancelled' : 'partially_cancelled';
}
