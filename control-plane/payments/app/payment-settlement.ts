// Settles a payment: updates payment, ledger and what was paid in one transaction to what the provider reports.
import { notify } from '../../access/app/notices.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { isOpen, nextFetch, type Payment, type PaymentEvent } from '../domain/payment.js';
import { paymentSentBack, type SentBackReason } from '../domain/payment-notices.js';
import {
  type ExpectedPayment,
  type FoundPayment,
  isWon,
  judge,
  leftOf,
  returnedOf,
} from '../domain/provider-payment.js';
import type { PaymentProvider } from '../providers/provider.js';
import { hasConsent } from '../store/consents.js';
import { closeRefused } from '../store/manual-settlements.js';
import { insertCancellation } from '../store/payment-cancellations.js';
import { changePayment, findPayment, type PaymentChanges } from '../store/payments.js';
import { enterIntoLedger, type LedgerDeps } from './ledger.js';
import type { Payables } from './payables.js';

export interface SettlementDeps extends LedgerDeps {
  readonly wake: Wake;
  readonly limits: Limits;
  readonly payables: Payables;
}

/**
 * What is known apart from the fetched payment. asked: a charge has been requested and may be in progress. refused:
 * the provider has certainly not charged, with its reason, or null when the payer left.
 */
export type Known = { readonly asked: true } | { readonly refused: string | null };

export const expectedOf = (payment: Payment, provider: PaymentProvider): ExpectedPayment => ({
  id: payment.orderNo,
  totalWon: payment.amountWon,
  storeId: provider.storeId,
  testAllowed: provider.testAllowed,
});

/**
 * Idempotent, also when an older result arrives after a newer one.
 *
 * @param found null: the provider gave no certain answer
 * @returns the updated payment
 */
export async function settle(
  tx: Transaction,
  deps: SettlementDeps,
  orderNo: string,
  provider: PaymentProvider,
  found: FoundPayment | null,
  known: Known = { asked: true },
): Promise<Payment> {
  const payment = await findPayment(tx, orderNo);
  if (!payment) throw new Error(`there is no payment of ${orderNo}`);
  const expected = expectedOf(payment, provider);
  const verdict = found === null ? 'foreign' : judge(expected, found);
  if (found === null || verdict === 'foreign') {
    const refusal = found === null ? refusalOf(known) : 'payment_mismatch';
    return stayUncertain(tx, deps, payment, provider.remote, known, refusal);
  }
  const inWon = isWon(expected, found);
  if (inWon && provider.movesMoney) await enterIntoLedger(tx, deps, payment, found);
  if (inWon) await deps.payables[payment.kind].wentBack(tx, payment, found);
  if (inWon && returnedOf(found) >= found.total) await closeRefused(tx, orderNo, deps.clock.now());

  const event = await eventOf(tx, deps, payment, provider, found, known);
  const ends = event === 'charged_late' || event === 'mismatch' || event === 'returned';
  if (ends && isOpen(payment)) await deps.payables[payment.kind].unpayable(tx, orderNo);
  const charged = event === 'charged' || event === 'charged_late' || event === 'mismatch';
  return write(tx, deps, payment, provider.remote, event, true, {
    // Refunds are never undone, so an older result must not lower the amount.
    ...(inWon ? { cancelledWon: Math.max(payment.cancelledWon, returnedOf(found)) } : {}),
    ...(charged || event === 'returned'
      ? { txId: found.txId, method: found.method, receiptUrl: found.receiptUrl }
      : {}),
    ...(charged ? { paidAt: found.paidAt ?? deps.clock.now(), failureCode: null } : {}),
    ...(event === 'mismatch' ? { failureCode: 'payment_mismatch' } : {}),
    ...(event === 'declined' ? { failureCode: refusalOf(known) ?? found.failureCode ?? 'declined' } : {}),
  });
}

const refusalOf = (known: Known) => ('refused' in known ? known.refused : null);

/** Returns the payment event that a fetched payment leads to in this status, or null for none. */
async function eventOf(
  tx: Transaction,
  deps: SettlementDeps,
  payment: Payment,
  provider: PaymentProvider,
  found: FoundPayment,
  known: Known,
): Promise<PaymentEvent | null> {
  const expected = expectedOf(payment, provider);
  const rules = deps.payables[payment.kind];
  switch (judge(expected, found)) {
    case 'charged': {
      if (!isOpen(payment)) return null;
      if (rules.needsConsent(provider) && !(await hasConsent(tx, payment.orderNo))) {
        await sendBack(tx, deps, payment, leftOf(found), 'paid_without_consent');
        return 'charged_late';
      }
      if (await rules.pay(tx, payment.orderNo, deps.clock.now())) return 'charged';
      await sendBack(tx, deps, payment, leftOf(found), 'paid_too_late');
      return 'charged_late';
    }
    case 'wrong':
      if (!isOpen(payment)) return null;
      await sendBack(tx, deps, payment, isWon(expected, found) ? leftOf(found) : null, 'payment_mismatch');
      return 'mismatch';
    case 'returned':
      return 'returned';
    case 'declined':
      return 'declined';
    case 'undecided':
      return overdue(payment, deps) ? 'not_charged' : null;
    case 'nothing':
      if ('refused' in known) return known.refused === null ? 'not_charged' : 'declined';
      // The charge request may still be in flight.
      return deps.clock.now() - (payment.askedAt ?? 0) < deps.limits.payment_timeout_ms ? null : 'not_charged';
    case 'foreign':
      return null;
  }
}

/** The provider has taken so long that the order no longer waits; fetching goes on. */
const overdue = (payment: Payment, { clock, limits }: SettlementDeps) =>
  clock.now() - (payment.askedAt ?? payment.createdAt) >= limits.payment_confirming_ms;

/** Schedules the next attempt when the payment could not be fetched; the order waits no longer than it has to. */
export async function settleLater(tx: Transaction, deps: SettlementDeps, orderNo: string): Promise<void> {
  const payment = await findPayment(tx, orderNo);
  if (payment) await stayUncertain(tx, deps, payment, true, { asked: true }, null);
}

async function stayUncertain(
  tx: Transaction,
  deps: SettlementDeps,
  payment: Payment,
  remote: boolean,
  known: Known,
  refusal: string | null,
): Promise<Payment> {
  if (refusal !== null) {
    return write(tx, deps, payment, remote, 'declined', false, { failureCode: refusal });
  }
  const event = 'refused' in known || overdue(payment, deps) ? 'not_charged' : null;
  return write(tx, deps, payment, remote, event, false, {});
}

async function write(
  tx: Transaction,
  deps: SettlementDeps,
  payment: Payment,
  remote: boolean,
  event: PaymentEvent | null,
  certain: boolean,
  changes: PaymentChanges,
): Promise<Payment> {
  const now = deps.clock.now();
  const moved = event === null ? null : await changePayment(tx, payment, event, changes, now);
  const after = moved ?? payment;
  const { cancelledWon = after.cancelledWon } = changes;
  // After one refund in the provider's console, another may follow: the next fetch is as soon as after the payment.
  const isChanged = after.status !== payment.status || cancelledWon !== payment.cancelledWon;
  const attempts = isChanged ? 0 : payment.attempts + 1;
  const fetchAt = nextFetch({ ...after, attempts, certain, remote }, now, deps.limits);
  const updated = await changePayment(tx, after, null, { attempts, fetchAt, cancelledWon }, now);
  if (!updated) throw new Error(`the payment of ${payment.orderNo} changed inside a transaction`);
  wakeForPayment(tx, deps, updated);
  return updated;
}

/** Wakes requests that wait for the order, and the payment workers. */
export function wakeForPayment(
  tx: Transaction,
  { wake }: Pick<SettlementDeps, 'wake'>,
  { orderNo, accountId }: Pick<Payment, 'orderNo' | 'accountId'>,
): void {
  tx.onCommit(() => {
    wake.wake('payments', orderNo);
    wake.wake('order', orderNo);
    wake.wake('orders', String(accountId), { id: orderNo });
  });
}

async function sendBack(
  tx: Transaction,
  deps: SettlementDeps,
  payment: Payment,
  amountWon: number | null,
  reason: SentBackReason,
): Promise<void> {
  if (amountWon !== null && amountWon <= 0) return;
  const { orderNo, accountId } = payment;
  const cancellationId = newId('pc');
  await insertCancellation(tx, {
    cancellationId,
    orderNo,
    accountId,
    amountWon,
    creditMicroUsd: null,
    reason,
    now: deps.clock.now(),
  });
  await notify(tx, deps, {
    accountId,
    kind: 'payment_returned',
    says: paymentSentBack(payment, reason),
  });
}
