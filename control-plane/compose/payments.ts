// Payments and refunds.

import { createCredit } from '../payments/app/credit.js';
import { createCreditPayments } from '../payments/app/credit-payments.js';
import { createExchangeRates } from '../payments/app/exchange-rates.js';
import { createLocalPayments } from '../payments/app/local-payments.js';
import { createManualSettlements } from '../payments/app/manual-settlements.js';
import { orderPayables } from '../payments/app/order-payables.js';
import { createOrderRefunds } from '../payments/app/order-refunds.js';
import { refresh } from '../payments/app/payment-reconciliation.js';
import { paymentState } from '../payments/app/payment-state.js';
import { createPaymentWebhooks } from '../payments/app/payment-webhooks.js';
import { createPayments, type PaymentsDeps } from '../payments/app/payments.js';
import { topUpPayables } from '../payments/app/top-up-payables.js';
import { createTopUps, topUpState } from '../payments/app/top-ups.js';
import { createWithdrawals } from '../payments/app/withdrawals.js';
import { createCreditRoutes } from '../payments/http/console-credit.js';
import { createOrderPaymentRoutes } from '../payments/http/console-orders.js';
import { createPaymentWebhookRoutes } from '../payments/http/console-payment-webhooks.js';
import { createTopUpRoutes } from '../payments/http/console-top-ups.js';
import { createEximbank } from '../payments/providers/eximbank.js';
import { createPaymentProviders } from '../payments/providers/providers.js';
import { shiftPaymentRequests } from '../payments/store/open-spans.js';
import { paymentWorkers } from '../payments/workers/table.js';
import { createKeyedLock } from '../platform/app/keyed-lock.js';
import { payUrl, topUpPayUrl } from '../platform/domain/addresses.js';
import { payOrder } from '../renting/app/order-changes.js';
import { cancelOrder, recordRefundElsewhere } from '../renting/app/order-ends.js';
import { xcodeLost } from '../renting/app/xcode-refusal.js';
import type { Base } from './platform.js';
import type { Orders } from './renting.js';

export function composePayments(base: Base, { changes }: Pick<Orders, 'changes'>) {
  const { config, store, clock, limits, site, ports } = base;
  const providers =
    ports.paymentProviders ??
    createPaymentProviders({
      settings: config.payments,
      clock,
      timeoutMs: limits.payment_timeout_ms,
      book: createLocalPayments(store),
    });
  const deps: PaymentsDeps = {
    ...base,
    providers,
    paying: createKeyedLock('payment', base.shared?.locks),
    cancelling: createKeyedLock('cancellation', base.shared?.locks),
    payables: {
      order: orderPayables({
        pay: (tx, order, at) => payOrder(tx, changes, order, at),
        cancel: (tx, order, reason) => cancelOrder(tx, changes, order, reason),
        refusal: (tx, order) => xcodeLost(tx, changes, order),
        refunded: (tx, order, totalWon) => recordRefundElsewhere(tx, changes, order, totalWon),
      }),
      top_up: topUpPayables(base),
    },
    consentTexts: config.payments.consentTexts,
    payUrl: ({ kind, orderNo }) => (kind === 'order' ? payUrl : topUpPayUrl)(site, orderNo),
  };
  const { fixedRate, eximbank } = config.payments;
  const rates = createExchangeRates({
    ...base,
    fixedRate,
    published: eximbank && createEximbank({ ...eximbank, timeoutMs: limits.fx_timeout_ms }),
  });
  const credit = createCredit(base);
  const portone = providers.named('portone');
  return {
    orderRefunds: createOrderRefunds({ ...changes, refresh: (orderNo) => refresh(deps, orderNo) }),
    shiftSpans: shiftPaymentRequests,
    credit,
    manualSettlements: createManualSettlements(base),
    consoleRoutes: [
      ...createOrderPaymentRoutes({
        site,
        payments: createPayments(deps, 'order', paymentState),
        creditPayments: createCreditPayments({ ...deps, rates }),
        seller: config.payments.seller,
      }),
      ...createTopUpRoutes({
        site,
        limits,
        seller: config.payments.seller,
        topUps: createTopUps({ ...deps, rates }),
        withdrawals: createWithdrawals(deps),
        payments: createPayments(deps, 'top_up', topUpState),
      }),
      ...createCreditRoutes({ credit, rates, limits }),
      // Null: PortOne is not set up.
      ...createPaymentWebhookRoutes(portone && createPaymentWebhooks(deps, portone)),
    ],
    workers: paymentWorkers({ ...deps, rates }),
  };
}
