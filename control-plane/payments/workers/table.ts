// The background workers of payments.
import type { Worker } from '../../platform/workers/worker.js';
import type { ExchangeRates } from '../app/exchange-rates.js';
import { type ReconcileDeps, reconcileDue } from '../app/payment-reconciliation.js';
import { carryOutCancellations } from '../app/refunds.js';
import { expireTopUps } from '../app/top-ups.js';

export function paymentWorkers(deps: ReconcileDeps & { readonly rates: ExchangeRates }): readonly Worker[] {
  return [
    // Reconciles payments that are uncertain, may still be made, or may be charged back.
    { name: 'payment-reconciliation', wakeOn: ['payments'], run: () => reconcileDue(deps) },
    // Retries refunds until the provider lists them.
    { name: 'payment-cancellations', wakeOn: ['payments'], run: () => carryOutCancellations(deps) },
    { name: 'top-up-expiry', wakeOn: ['payments'], run: () => expireTopUps(deps) },
    // Keeps a recent exchange rate for when its source does not answer.
    { name: 'exchange-rate', wakeOn: [], run: () => deps.rates.refresh() },
  ];
}
