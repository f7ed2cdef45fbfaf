// A provider that this service plays itself. What it "holds" is kept by the book, apart from the service's own
// records, so that it survives a crash like a provider elsewhere would.
import type { Clock } from '../../../shared/clock.js';
import type { LocalPayment } from '../domain/local-payment.js';
import type { PaymentProviderName, SandboxOutcome } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';
import type { PaymentProvider } from './provider.js';

export interface LocalBook {
  read(paymentId: string): Promise<LocalPayment | null>;
  /** Reads and writes in one step; null from `change` leaves it as it is. Answers what stands there then. */
  change(
    paymentId: string,
    change: (entry: LocalPayment | null) => LocalPayment | null,
  ): Promise<LocalPayment | null>;
}

export interface LocalProviderOptions {
  readonly book: LocalBook;
  readonly clock: Clock;
  readonly name: PaymentProviderName;
  readonly movesMoney: boolean;
  /** How a payment is said to have been made. */
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
        // One payment id is paid once, whatever comes after.
        if (before?.state === 'paid') return null;
        return outcome === 'declined'
          ? { ...made, state: 'failed', paidAt: null, failureCode: DECLINED }
          : { ...made, state: 'paid', paidAt: clock.now(), failureCode: null };
      });
      return entry?.state === 'failed' ? { answer: 'declined', code: DECLINED } : { answer: 'look' };
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
      return refusal === null ? { answer: 'look' } : { answer: 'refused', code: refusal };
    },
    readWebhook: () => ({ kind: 'refused', header: 'webhook-signature' }),
  };
}

const leftOf = (entry: LocalPayment) =>
  entry.cancellations.reduce((left, { amount }) => left - amount, entry.totalWon);

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
