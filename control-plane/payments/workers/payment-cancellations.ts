import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import type { LookDeps } from '../app/payment-looks.js';
import { carryOutCancellations } from '../app/refunds.js';

/** Sends money back that is to go back, until the provider lists it as gone. */
export function createPaymentCancellations(deps: LookDeps): Worker {
  return {
    name: 'payment-cancellations',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['payments'],
    run: () => carryOutCancellations(deps),
  };
}
