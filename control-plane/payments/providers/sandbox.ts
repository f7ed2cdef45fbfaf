import type { Clock } from '../../../shared/clock.js';
import { createLocalProvider, type LocalBook } from './local.js';
import type { PaymentProvider } from './provider.js';

/** A simulated provider with play money and the outcome that the payer asks for. For trials and tests. */
export function createSandbox(deps: { book: LocalBook; clock: Clock }): PaymentProvider {
  return createLocalProvider({
    ...deps,
    name: 'sandbox',
    movesMoney: true,
    method: (asked) => asked,
    outcome: (asked) => asked,
  });
}
