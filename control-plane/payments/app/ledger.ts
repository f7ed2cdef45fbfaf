// Enters what a provider lists into the ledger of won, and reacts to chargebacks and refunds that this service has not
// requested.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { type NotifyDeps, notify } from '../../access/app/notices.js';
import { blockPaymentsOf } from '../../access/app/organizations.js';
import type { Transaction } from '../../platform/store/sql.js';
import { ledgerEntries } from '../domain/ledger.js';
import type { Payment } from '../domain/payment.js';
import { paymentsBlocked } from '../domain/payment-notices.js';
import { type FoundPayment, leftOf, returnedOf } from '../domain/provider-payment.js';
import { insertLedgerEntry } from '../store/ledger.js';
import { openSettlement } from '../store/manual-settlements.js';

export interface LedgerDeps extends NotifyDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Enters all amounts that moved. A new chargeback blocks the account's payments. */
export async function enterIntoLedger(
  tx: Transaction,
  deps: LedgerDeps,
  payment: Payment,
  found: FoundPayment,
): Promise<void> {
  let isNews = false;
  for (const entry of ledgerEntries(payment, found, deps.clock.now())) {
    const isNew = await insertLedgerEntry(tx, entry);
    if (isNew && entry.kind === 'chargeback') await blockPayments(tx, deps, payment);
    isNews ||= isNew;
  }
  if (!isNews || leftOf(found) >= 0) return;
  const { orderNo: order, provider } = payment;
  await openSettlement(tx, {
    id: order,
    kind: 'over_returned',
    orderNo: order,
    accountId: payment.accountId,
    amountWon: -leftOf(found),
    createdAt: deps.clock.now(),
  });
  const sums = { charged_won: found.total, returned_won: returnedOf(found) };
  tx.onCommit(() => {
    deps.wake.wake('operator-notices');
    deps.log.error({ order, provider, ...sums }, 'more was returned than was charged; an operator has to act');
  });
}

/** Blocks purchases of an account whose payment is disputed (chargeback), until an operator unblocks it. */
export async function blockPayments(
  tx: Transaction,
  deps: NotifyDeps,
  payment: Pick<Payment, 'accountId' | 'orderNo' | 'kind'>,
): Promise<void> {
  const { accountId } = payment;
  await blockPaymentsOf(tx, accountId);
  await notify(tx, deps, {
    accountId,
    kind: 'payments_blocked',
    says: paymentsBlocked(payment),
  });
}
