// Payments and refunds.
import { createOrderRefunds } from '../payments/app/order-refunds.js';
import type { ReconcileDeps } from '../payments/app/payment-reconciliation.js';
import { createPaymentWebhooks } from '../payments/app/payment-webhooks.js';
import { createPayments } from '../payments/app/payments.js';
import { createOrderPaymentRoutes } from '../payments/http/runner-orders.js';
import { createPaymentWebhookRoutes } from '../payments/http/runner-payment-webhooks.js';
import { createPaymentProviders } from '../payments/providers/providers.js';
import { createLocalPayments } from '../payments/store/local-payments.js';
import { paymentWorkers } from '../payments/workers/table.js';
import { payUrl } from '../platform/domain/addresses.js';
import { payOrder } from '../renting/app/order-changes.js';
import { cancelOrder } from '../renting/app/order-ends.js';
import type { Base } from './platform.js';
import type { Orders } from './renting.js';

export function composePayments(base: Base, { changes }: Pick<Orders, 'changes'>) {
  const { config, store, clock, limits, site, ports } = base;
  const providers =
    ports.paymentProviders ??
    createPaymentProviders({
      ...{ settings: config.payments, clock, timeoutMs: limits.payment_timeout_ms },
      book: createLocalPayments(store),
    });
  const deps: ReconcileDeps = {
    ...{ ...base, providers },
    orders: {
      pay: (tx, order, at) => payOrder(tx, changes, order, at),
      cancel: (tx, order, reason) => cancelOrder(tx, changes, order, reason),
    },
  };
  const payments = createPayments({
    ...deps,
    consentText: config.payments.consentText,
    payUrl: (orderNo) => payUrl(site, orderNo),
  });
  const portone = providers.named('portone');
  return {
    orderRefunds: createOrderRefunds(changes),
    runnerRoutes: [
      ...createOrderPaymentRoutes({ payments, site }),
      // Null: PortOne is not set up.
      ...createPaymentWebhookRoutes(portone && createPaymentWebhooks(deps, portone)),
    ],
    workers: paymentWorkers(deps),
  };
}
