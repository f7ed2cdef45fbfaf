// Payments' part of the composition: who takes money, and what watches over it.
import type { Log } from '../../shared/log.js';
import type { NotifyDeps } from '../access/app/notices.js';
import type { PaymentConfig } from '../payment-config.js';
import type { LookDeps } from '../payments/app/payment-looks.js';
import { createPaymentWebhooks } from '../payments/app/payment-webhooks.js';
import { createPayments } from '../payments/app/payments.js';
import { createPaymentProviders } from '../payments/providers/providers.js';
import { createLocalPayments } from '../payments/store/local-payments.js';
import { createPaymentCancellations } from '../payments/workers/payment-cancellations.js';
import { createPaymentLooks } from '../payments/workers/payment-looks.js';
import { payUrl, type SiteAddresses } from '../platform/domain/addresses.js';
import type { Limits } from '../platform/domain/limits.js';
import type { Store } from '../platform/store/sql.js';
import type { Worker } from '../platform/workers/worker.js';
import { type OrderChangeDeps, payOrder } from '../renting/app/order-changes.js';
import { cancelOrder } from '../renting/app/order-ends.js';

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
