// The configured providers: the one that takes new payments, and those of earlier payments.
import type { Clock } from '../../../shared/clock.js';
import type { PaymentProviderName } from '../domain/payment.js';
import { createApproval } from './approval.js';
import type { LocalBook } from './local.js';
import { createPortone, type PortoneOptions } from './portone.js';
import type { PaymentProvider } from './provider.js';
import { createSandbox } from './sandbox.js';

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
