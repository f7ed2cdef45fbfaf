// Charging an order: what is recorded before a provider is asked for money, and the request itself.
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Order } from '../../renting/domain/order.js';
import type { ConsentText } from '../domain/consent.js';
import type { PayMethod, Payment } from '../domain/payment.js';
import type { Charge, PaymentProvider, Proof } from '../providers/provider.js';
import type { PaymentProviders } from '../providers/providers.js';
import { insertConsent } from '../store/consents.js';
import { changePayment, openPayment } from '../store/payments.js';
import { type ReconcileDeps, reconcile } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import { findOrder, type PaymentState, paymentState, requirePayable, stateAfter } from './payment-state.js';
import { askToCharge, orderName } from './provider-calls.js';

export interface ChargeDeps extends ReconcileDeps {
  readonly consentText: ConsentText;
  /** URL that the payer's browser returns to. */
  payUrl(orderNo: string): string;
}

/** Started at a local provider that no longer takes payments, so nothing can have been paid there. */
export const isStale = (providers: PaymentProviders, { provider, status, amountWon }: Payment): boolean =>
  status === 'pending' &&
  provider !== providers.taker(amountWon).name &&
  providers.named(provider)?.remote === false;

/** Returns the payment of the order; opens it when there is none. Stored before the provider is asked to charge. */
export async function openCharge(tx: Transaction, deps: ChargeDeps, order: Order): Promise<Payment> {
  const { clock, limits, providers } = deps;
  const now = clock.now();
  const { orderNo, accountId, amountWon } = order;
  const { name, remote } = providers.taker(amountWon);
  const fetchAt = remote ? now + limits.payment_poll_ms : null;
  const opened = await openPayment(tx, { orderNo, accountId, amountWon, provider: name, fetchAt, now });
  if (!isStale(providers, opened)) return opened;
  return (await changePayment(tx, opened, null, { provider: name, fetchAt, attempts: 0 }, now)) ?? opened;
}

/** Throws console_only when the caller is not a person. */
export async function recordConsent(
  tx: Transaction,
  { consentText, clock }: ChargeDeps,
  caller: Caller,
  orderNo: string,
): Promise<void> {
  const userId = caller.person?.userId;
  if (userId === undefined) throw new ApiError('console_only');
  const { version: textVersion, sha256: textSha256 } = consentText;
  await insertConsent(tx, { orderNo, userId, textVersion, textSha256, ip: caller.ip, at: clock.now() });
}

export const chargeOf = (deps: Pick<ChargeDeps, 'payUrl'>, order: Order, method: PayMethod): Charge => ({
  orderNo: order.orderNo,
  orderName: orderName(order),
  amountWon: order.amountWon,
  method,
  returnUrl: deps.payUrl(order.orderNo),
});

/** Stores `confirming` before the provider is asked to charge; only the payment fetched afterwards counts. */
export async function charge(
  deps: ChargeDeps,
  caller: Caller,
  payment: Payment,
  provider: PaymentProvider,
  method: PayMethod,
  proof: Proof,
  asked?: InTransaction,
): Promise<PaymentState> {
  const { store, clock, limits } = deps;
  const { orderNo } = payment;
  const order = await store.transaction(async (tx) => {
    const payable = await findOrder(tx, caller, orderNo);
    const now = clock.now();
    requirePayable(payable, now);
    const changes = { askedAt: now, attempts: 0, fetchAt: now + limits.payment_fetch_ms, failureCode: null };
    const asking = await changePayment(tx, payment, 'ask', changes, now);
    if (asking) {
      await asked?.(tx);
      wakeForPayment(tx, deps, asking);
    }
    return asking ? payable : null;
  });
  // Another process was faster.
  if (!order) return paymentState(store, caller, orderNo);
  const answer = await askToCharge(deps, provider, chargeOf(deps, order, method), proof);
  return stateAfter(store, caller, await reconcile(deps, payment, provider, answer));
}
