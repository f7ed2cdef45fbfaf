// The configured providers: the one that takes new payments, and those of earlier payments.
import type { Clock } from '../../../shared/clock.js';
import type { PaymentProviderName } from '../domain/payment.js';
import { createLocalProvider, type LocalBook } from './local.js';
import { createPortone, type PortoneOptions } from './portone.js';
import type { PaymentProvider } from './provider.js';

export interface PaymentSettings {
  readonly provider: PaymentProviderName;
  /** Null: PortOne is not configured. It may be configured beside another provider, for earlier payments. */
  readonly portone: Omit<PortoneOptions, 'clock' | 'timeoutMs'> | null;
}

export type PaymentProviders = ReturnType<typeof createPaymentProviders>;

export function createPaymentProviders(deps: {
  settings: PaymentSettings;
  book: LocalBook;
  clock: Clock;
  timeoutMs: number;
}) {
  const { settings, clock, timeoutMs } = deps;
  const approval = createApproval(deps);
  const all: Readonly<Record<PaymentProviderName, PaymentProvider | null>> = {
    approval,
    sandbox: createSandbox(deps),
    portone: settings.portone && createPortone({ ...settings.portone, clock, timeoutMs }),
  };
  const current = all[settings.provider];
  if (!current) throw new Error(`the payment provider ${settings.provider} is not configured`);
  return {
    /** Takes new payments. */
    current,
    /** Returns the provider for a new payment of this amount: approval when there is nothing to pay. */
    taker: (amountWon: number): PaymentProvider => (amountWon === 0 ? approval : current),
    /** Null when it is not configured. */
    named: (name: PaymentProviderName): PaymentProvider | null => all[name],
  };
}

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
