// Payments' part of the composition: who takes money, and what watches over it.
import type { Log } from '../shared/log.js';
import type { NotifyDeps } from './app/notices.js';
import { type OrderChangeDeps, payOrder } from './app/order-changes.js';
import { cancelOrder } from './app/order-ends.js';
import type { LookDeps } from './app/payment-looks.js';
import { createPaymentWebhooks } from './app/payment-webhooks.js';
import { createPayments } from './app/payments.js';
import { payUrl, type SiteAddresses } from './domain/addresses.js';
import type { Limits } from './domain/limits.js';
import { createPaymentProviders } from './outbound/payments/providers.js';
import type { PaymentConfig } from './payment-config.js';
import { createLocalPayments } from './store/local-payments.js';
import type { Store } from './store/sql.js';
import { createPaymentCancellations } from './workers/payment-cancellations.js';
import { createPaymentLooks } from './workers/payment-looks.js';
import type { Worker } from './workers/worker.js';

export interface ComposePaymentsDeps extends OrderChangeDeps, Pick<NotifyDeps, 'mail'> {
  readonly store: Store;
  readonly limits: Limits;
  readonly site: SiteAddresses;
  readonly settings: PaymentConfig;
  readonly log: Log;
}

export type PaymentServices = ReturnType<typeof composePayments>;

export function composePayments(deps: ComposePaymentsDeps) {
  const { store, clock, wake, limits, site, settings, mail, log } = deps;
  const providers = createPaymentProviders({
    ...{ settings, clock, timeoutMs: limits.payment_timeout_ms },
    book: createLocalPayments(store),
  });
  const looks: LookDeps = {
    ...{ store, clock, wake, limits, providers, mail, log },
    orders: {
      pay: (tx, order, at) => payOrder(tx, deps, order, at),
      cancel: (tx, order, reason) => cancelOrder(tx, deps, order, reason),
    },
  };
  const portone = providers.named('portone');
  const workers: readonly Worker[] = [createPaymentLooks(looks), createPaymentCancellations(looks)];
  return {
    workers,
    payments: createPayments({
      ...looks,
      consentText: settings.consentText,
      payUrl: (orderNo) => payUrl(site, orderNo),
    }),
    /** Null: PortOne is not set up. */
    paymentWebhooks: portone && createPaymentWebhooks(looks, portone),
  };
}
