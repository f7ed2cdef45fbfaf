// What a payment pays for. Each kind has its rules: orders, and top-ups of credit.
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Payable, type PayableKind, payableText } from '../domain/payable.js';
import type { Payment } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';
import type { PaymentProvider } from '../providers/provider.js';

export interface PayableRules {
  /** Of any account. */
  find(q: Queries, orderNo: string): Promise<Payable | null>;
  /** Whether money that came without a recorded consent is sent back. */
  needsConsent(provider: PaymentProvider): boolean;
  /** Why it must not be charged now although it is unpaid; null: nothing is in the way. */
  refusal(tx: Transaction, orderNo: string): Promise<ApiError | null>;
  /** The payment has arrived. False: it can no longer be paid, so the payment is refunded. */
  pay(tx: Transaction, orderNo: string, at: number): Promise<boolean>;
  /** A person cancels it. False: it can no longer be canceled. */
  cancel(tx: Transaction, orderNo: string): Promise<boolean>;
  /** Its payment has ended without paying it. A payment id is used only once, so what is still unpaid has ended too. */
  unpayable(tx: Transaction, orderNo: string): Promise<void>;
  /** The provider lists money that went back; it may have been listed before. */
  wentBack(tx: Transaction, payment: Payment, found: FoundPayment): Promise<void>;
}

export type Payables = Readonly<Record<PayableKind, PayableRules>>;

/** Throws not_found, also for what another account pays. */
export async function findPayable(
  q: Queries,
  payables: Payables,
  kind: PayableKind,
  caller: Caller,
  orderNo: string,
): Promise<Payable> {
  const payable = await payables[kind].find(q, orderNo);
  if (payable?.accountId === caller.account.id) return payable;
  throw new ApiError('not_found', { message: kind === 'order' ? 'No such order.' : 'No such top-up.' });
}

/** Throws unless it can be paid now. */
export function requirePayable(payable: Payable, now: number): void {
  if (payable.status === 'closed') throw notPayable(payable, 'has been paid or canceled');
  if (payable.status === 'expired' || payable.payExpiresAt <= now) throw expired(payable);
}

export const expired = (payable: Payable): ApiError =>
  new ApiError('order_expired', { message: `The ${payableText(payable)} has expired; make a new one.` });

export const notPayable = (payable: Payable, why: string): ApiError =>
  new ApiError('order_not_payable', { message: `The ${payableText(payable)} ${why}.` });
