// Reconciles payments with their providers: after a confirmation, after a webhook, and periodically until the
// provider's answer is certain.
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Store } from '../../platform/store/sql.js';
import type { Payment } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';
import { type PaymentProvider, ProviderUncertain } from '../providers/provider.js';
import type { PaymentProviders } from '../providers/providers.js';
import { findPayment, readDueLooks } from '../store/payments.js';
import { type Known, type SettlementDeps, settle, settleLater } from './payment-settlement.js';

export interface ReconcileDeps extends SettlementDeps {
  readonly store: Store;
  readonly providers: PaymentProviders;
  /** One cancellation of a payment at a time. */
  readonly cancelling: KeyedLock;
}

/** Payments fetched concurrently, so that a provider that hangs does not delay the others. */
const SIDE_BY_SIDE = 16;
const PASSES = 100;

/** Returns the provider of a payment, or null (and logs it) when it is no longer configured. */
export function providerOf(
  { providers, log }: Pick<ReconcileDeps, 'providers' | 'log'>,
  payment: Payment,
): PaymentProvider | null {
  const provider = providers.named(payment.provider);
  if (!provider) {
    log.error(
      { order: payment.orderNo, provider: payment.provider },
      'the provider of a payment is not configured; configure it again to settle the payment',
    );
  }
  return provider;
}

/** Fetches the payment from its provider and settles the result. Returns the updated payment. */
export async function reconcile(
  deps: ReconcileDeps,
  payment: Payment,
  provider: PaymentProvider,
  known: Known = { asked: true },
): Promise<Payment> {
  const found = await fetchPayment(deps, payment, provider);
  return deps.store.transaction((tx) => settle(tx, deps, payment.orderNo, provider, found, known));
}

/** Fetches a payment that may have changed at its provider; without a certain answer it stays as it is known. */
export async function refresh(deps: ReconcileDeps, orderNo: string): Promise<void> {
  const payment = await findPayment(deps.store, orderNo);
  const provider = payment && deps.providers.named(payment.provider);
  if (payment && provider?.remote) await reconcile(deps, payment, provider);
}

async function fetchPayment(
  { log }: ReconcileDeps,
  { orderNo }: Payment,
  provider: PaymentProvider,
): Promise<FoundPayment | null> {
  try {
    return await provider.lookup(orderNo);
  } catch (error) {
    if (!(error instanceof ProviderUncertain)) throw error;
    log.warn({ err: error, order: orderNo }, 'the payment provider gave no certain answer; will retry');
    return null;
  }
}

/** Reconciles every payment that is due; returns when the next one is due, or null. */
export async function reconcileDue(deps: ReconcileDeps): Promise<number | null> {
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueLooks(deps.store, deps.clock.now(), SIDE_BY_SIDE);
    if (due.length === 0 || pass === PASSES) return nextAt;
    await Promise.all(due.map((payment) => reconcileOne(deps, payment)));
  }
}

async function reconcileOne(deps: ReconcileDeps, payment: Payment): Promise<void> {
  const provider = providerOf(deps, payment);
  try {
    if (provider) return void (await reconcile(deps, payment, provider));
  } catch (error) {
    deps.log.error({ err: error, order: payment.orderNo }, 'failed to settle a payment; will retry');
  }
  await deps.store.transaction((tx) => settleLater(tx, deps, payment.orderNo));
}
