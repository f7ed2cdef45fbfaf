// Charging a payable: what is recorded before a provider is asked for money, and the request itself.
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { ConsentText, ConsentTexts } from '../domain/consent.js';
import type { Payable } from '../domain/payable.js';
import type { PayMethod, Payment } from '../domain/payment.js';
import type { Charge, PaymentProvider, Proof } from '../providers/provider.js';
import type { PaymentProviders } from '../providers/providers.js';
import { insertConsent } from '../store/consents.js';
import { changePayment, findPayment, openPayment } from '../store/payments.js';
import { findPayable, requirePayable } from './payables.js';
import { type ReconcileDeps, reconcile } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import { askToCharge } from './provider-calls.js';

export interface ChargeDeps extends ReconcileDeps {
  readonly consentTexts: ConsentTexts;
  /** URL that the payer's browser returns to. */
  payUrl(payable: Pick<Payable, 'kind' | 'orderNo'>): string;
}

/** Started at a local provider that no longer takes payments, so nothing can have been paid there. */
export const isStale = (providers: PaymentProviders, { provider, status, amountWon }: Payment): boolean =>
  status === 'pending' && provider !== providers.taker(amountWon).name && providers.named(provider)?.remote === false;

/** Returns the payment; opens it when there is none. Stored before the provider is asked to charge. */
export async function openCharge(
  tx: Transaction,
  deps: Pick<ChargeDeps, 'clock' | 'limits' | 'providers'>,
  payable: Payable,
): Promise<Payment> {
  const { clock, limits, providers } = deps;
  const now = clock.now();
  const { kind, orderNo, accountId, amountWon } = payable;
  const { name, remote } = providers.taker(amountWon);
  const fetchAt = remote ? now + limits.payment_poll_ms : null;
  const opened = await openPayment(tx, { kind, orderNo, accountId, amountWon, provider: name, fetchAt, now });
  if (!isStale(providers, opened)) return opened;
  return (await changePayment(tx, opened, null, { provider: name, fetchAt, attempts: 0 }, now)) ?? opened;
}

/** What a person has agreed to. */
export interface Agreement {
  readonly terms: boolean;
  readonly withdrawal: boolean;
  /** Version of the text that was shown; null: the current one. */
  readonly textVersion: string | null;
}

/** Throws account_blocked, consent_required. */
export function requireAgreement({ account }: Caller, agreement: Agreement, text: ConsentText): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
  const { terms, withdrawal, textVersion } = agreement;
  if (!terms || !withdrawal) throw new ApiError('consent_required');
  if (textVersion !== null && textVersion !== text.version) {
    throw new ApiError('consent_required', {
      message: 'The text has changed since it was shown; show the current one.',
      detail: { version: text.version },
    });
  }
}

/** Returns the person's id. Throws console_only when the caller is not a person. */
export async function recordConsent(
  tx: Transaction,
  { consentTexts, clock }: Pick<ChargeDeps, 'consentTexts' | 'clock'>,
  caller: Caller,
  { kind, orderNo }: Payable,
): Promise<string> {
  const userId = caller.person?.userId;
  if (userId === undefined) throw new ApiError('console_only');
  const { version: textVersion, sha256: textSha256 } = consentTexts[kind];
  await insertConsent(tx, { orderNo, userId, textVersion, textSha256, ip: caller.ip, at: clock.now() });
  return userId;
}

export const chargeOf = (deps: Pick<ChargeDeps, 'payUrl'>, payable: Payable, method: PayMethod): Charge => ({
  orderNo: payable.orderNo,
  orderName: payable.name,
  amountWon: payable.amountWon,
  method,
  returnUrl: deps.payUrl(payable),
});

/**
 * Stores `confirming` before the provider is asked to charge; only the payment fetched afterwards counts. Returns the
 * payment afterwards. Throws what `PayableRules.refusal` returns; nothing has been charged then.
 */
export async function charge(
  deps: ChargeDeps,
  caller: Caller,
  payment: Payment,
  provider: PaymentProvider,
  method: PayMethod,
  proof: Proof,
  recorded?: InTransaction,
): Promise<Payment> {
  const { store, clock, limits, payables } = deps;
  const { kind, orderNo } = payment;
  const asked = await store.transaction(async (tx) => {
    const payable = await findPayable(tx, payables, kind, caller, orderNo);
    const now = clock.now();
    requirePayable(payable, now);
    const refusal = await payables[kind].refusal(tx, orderNo);
    if (refusal) return { refusal };
    const changes = { askedAt: now, attempts: 0, fetchAt: now + limits.payment_fetch_ms, failureCode: null };
    const asking = await changePayment(tx, payment, 'ask', changes, now);
    if (asking) {
      await recorded?.(tx);
      wakeForPayment(tx, deps, asking);
    }
    return asking ? { payable } : null;
  });
  // Another process was faster.
  if (!asked) return (await findPayment(store, orderNo)) ?? payment;
  if ('refusal' in asked) throw asked.refusal;
  const answer = await askToCharge(deps, provider, chargeOf(deps, asked.payable, method), proof);
  return reconcile(deps, payment, provider, answer);
}
