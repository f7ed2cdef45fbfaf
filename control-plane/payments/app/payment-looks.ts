// Looks at providers: after a confirmation, after a webhook, and again and again until they have answered for certain.
import type { Log } from '../../../shared/log.js';
import type { Store } from '../../platform/store/sql.js';
import type { Payment } from '../domain/payment.js';
import type { FoundPayment } from '../domain/provider-payment.js';
import { type PaymentProvider, ProviderUncertain } from '../providers/provider.js';
import type { PaymentProviders } from '../providers/providers.js';
import { readDueLooks } from '../store/payments.js';
import { type Known, type SettlementDeps, settle, settleLater } from './payment-settlement.js';

export interface LookDeps extends SettlementDeps {
  readonly store: Store;
  readonly providers: PaymentProviders;
  readonly log: Log;
}

/** Payments looked at side by side: one whose provider hangs does not hold up the others. */
const SIDE_BY_SIDE = 16;
const PASSES = 100;

/** The provider of a payment; null, with a line in the log, when it is not set up any more. */
export function providerOf(
  { providers, log }: Pick<LookDeps, 'providers' | 'log'>,
  payment: Payment,
): PaymentProvider | null {
  const provider = providers.named(payment.provider);
  if (!provider) {
    log.error(
      { order: payment.orderNo, provider: payment.provider },
      'a payment is at a provider that is not set up; set it up again to settle it',
    );
  }
  return provider;
}

/** Looks at the provider and settles what it says. Answers the payment as it is then. */
export async function look(
  deps: LookDeps,
  payment: Payment,
  provider: PaymentProvider,
  known: Known = { asked: true },
): Promise<Payment> {
  const found = await lookup(deps, payment, provider);
  return deps.store.transaction((tx) => settle(tx, deps, payment.orderNo, provider, found, known));
}

async function lookup(
  { log }: LookDeps,
  { orderNo }: Payment,
  provider: PaymentProvider,
): Promise<FoundPayment | null> {
  try {
    return await provider.lookup(orderNo);
  } catch (error) {
    if (!(error instanceof ProviderUncertain)) throw error;
    log.warn(
      { err: error, order: orderNo },
      'the payment provider gave no certain answer; it is asked again',
    );
    return null;
  }
}

/** Looks at every payment at which it is time to look; answers when the next one is due, or null. */
export async function lookAtDue(deps: LookDeps): Promise<number | null> {
  for (let pass = 1; ; pass++) {
    const { due, nextAt } = await readDueLooks(deps.store, deps.clock.now(), SIDE_BY_SIDE);
    if (due.length === 0 || pass === PASSES) return nextAt;
    await Promise.all(due.map((payment) => lookAtOne(deps, payment)));
  }
}

async function lookAtOne(deps: LookDeps, payment: Payment): Promise<void> {
  const provider = providerOf(deps, payment);
  try {
    if (provider) return void (await look(deps, payment, provider));
  } catch (error) {
    deps.log.error(
      { err: error, order: payment.orderNo },
      'a payment could not be settled; it is tried again',
    );
  }
  await deps.store.transaction((tx) => settleLater(tx, deps, payment.orderNo));
}
