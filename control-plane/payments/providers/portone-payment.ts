// Parses PortOne's payment. Unknown fields and values are tolerated.
import { z } from 'zod';
import type { FoundCancellation, FoundPayment, FoundState } from '../domain/provider-payment.js';
import { ProviderUncertain } from './provider.js';

const won = z.int().min(0);

const cancellation = z.looseObject({
  status: z.string(),
  id: z.string(),
  totalAmount: won,
  reason: z.string().optional(),
  cancelledAt: z.string().optional(),
  trigger: z.string().optional(),
});

const payment = z.looseObject({
  status: z.string(),
  id: z.string(),
  transactionId: z.string().optional(),
  storeId: z.string(),
  // An unknown channel type is neither live nor test: fetch again rather than misjudge.
  channel: z.looseObject({ type: z.enum(['LIVE', 'TEST']) }).optional(),
  amount: z.looseObject({ total: won }),
  currency: z.string(),
  method: z.looseObject({ type: z.string() }).nullish(),
  paidAt: z.string().optional(),
  receiptUrl: z.string().optional(),
  failure: z.looseObject({ pgCode: z.string().optional() }).optional(),
  cancellations: z.array(cancellation).optional(),
});

// An issued virtual account has received nothing. Unknown states are not paid yet.
const states: Readonly<Record<string, FoundState>> = {
  READY: 'ready',
  VIRTUAL_ACCOUNT_ISSUED: 'ready',
  PAY_PENDING: 'pending',
  PENDING: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  PARTIAL_CANCELLED: 'partially_cancelled',
};

const holdsMoney = (state: FoundState) => state === 'paid' || state === 'cancelled' || state === 'partially_cancelled';

/** Throws ProviderUncertain when a value that decides about money is missing or unknown. */
export function readPortonePayment(body: unknown): FoundPayment {
  const read = payment.safeParse(body);
  if (!read.success) {
    throw new ProviderUncertain(`PortOne's payment could not be parsed: ${z.prettifyError(read.error)}`);
  }
  const found = read.data;
  const state = states[found.status] ?? 'pending';
  const cancellations = (found.cancellations ?? []).map(readCancellation);
  if (holdsMoney(state) && !found.channel) {
    throw new ProviderUncertain("PortOne's payment does not say whether it is live");
  }
  if ((state === 'cancelled' || state === 'partially_cancelled') && cancellations.length === 0) {
    throw new ProviderUncertain("PortOne's cancelled payment lists no cancellation");
  }
  return {
    state,
    id: found.id,
    storeId: found.storeId,
    total: found.amount.total,
    currency: found.currency.replace(/^CURRENCY_/, ''),
    live: found.channel?.type === 'LIVE',
    txId: found.transactionId ?? null,
    method: found.method ? methodName(found.method.type) : null,
    paidAt: readTime(found.paidAt),
    receiptUrl: readAddress(found.receiptUrl),
    failureCode: state === 'failed' ? failureCode(found.failure?.pgCode) : null,
    cancellations,
  };
}

function readCancellation(given: z.infer<typeof cancellation>): FoundCancellation {
  const status = { SUCCEEDED: 'succeeded', FAILED: 'failed' } as const;
  const known = given.status === 'SUCCEEDED' || given.status === 'FAILED' ? given.status : null;
  return {
    id: given.id,
    // Unknown: not done yet.
    status: known === null ? 'requested' : status[known],
    amount: given.totalAmount,
    reason: given.reason ?? '',
    chargeback: given.trigger === 'CHARGEBACK',
    at: readTime(given.cancelledAt),
  };
}

/** `PaymentMethodEasyPay` is `easy_pay`. */
const methodName = (type: string): string =>
  type
    .replace(/^PaymentMethod/, '')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
    .slice(0, 40);

/** Limits a code to what can be shown: text of a company behind PortOne may be anything. */
export function failureCode(text: string | null | undefined): string {
  return text && /^[\w.:-]{1,64}$/.test(text) ? text : 'declined';
}

function readTime(text: string | undefined): number | null {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** It becomes a link on our pages. */
function readAddress(text: string | undefined): string | null {
  return text !== undefined && text.length <= 2048 && /^https?:\/\//.test(text) && URL.canParse(text) ? text : null;
}
