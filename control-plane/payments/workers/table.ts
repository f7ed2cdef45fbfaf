// What payments do by themselves.
import type { Worker } from '../../platform/workers/worker.js';
import { type LookDeps, lookAtDue } from '../app/payment-looks.js';
import { carryOutCancellations } from '../app/refunds.js';

export function paymentWorkers(deps: LookDeps): readonly Worker[] {
  return [
    // Asks providers what became of payments that are in doubt, may still be made, or may be taken back.
    { name: 'payment-looks', wakeOn: ['payments'], run: () => lookAtDue(deps) },
    // Sends money back until the provider lists it as refunded.
    { name: 'payment-cancellations', wakeOn: ['payments'], run: () => carryOutCancellations(deps) },
  ];
}
