import type { Clock } from '../../../shared/clock.js';
import { createLocalProvider, type LocalBook } from './local.js';
import type { PaymentProvider } from './provider.js';

/** No money moves: the approval of an owner or admin is the payment. For teams that run their own Macs. */
export function createApproval(deps: { book: LocalBook; clock: Clock }): PaymentProvider {
  return createLocalProvider({
    ...deps,
    name: 'approval',
    movesMoney: false,
    method: () => 'approval',
    outcome: () => 'paid',
  });
}
