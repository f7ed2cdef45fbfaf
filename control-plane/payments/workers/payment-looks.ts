import { LONGEST_PERIOD_MS, type Worker } from '../../platform/workers/worker.js';
import { type LookDeps, lookAtDue } from '../app/payment-looks.js';

/** Asks providers what became of payments that are in doubt, may still be made, or may be taken back. */
export function createPaymentLooks(deps: LookDeps): Worker {
  return {
    name: 'payment-looks',
    periodMs: LONGEST_PERIOD_MS,
    wakeOn: ['payments'],
    run: () => lookAtDue(deps),
  };
}
