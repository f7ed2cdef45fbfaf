// Payment of an order or a top-up by a person, and cancellation. Every answer of a provider is verified by fetching the payment.

import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { KeyedLock } from '../../platform/app/keyed-lock.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import type { ConsentText } from '../domain/consent.js';
import type { PayableKind } from '../domain/payable.js';
import {
  isOpen,
  type PayMethod,
  type Payment,
  type PaymentProviderName,
  type SandboxOutcome,
} from '../domain/payment.js';
import type { Checkout, PaymentProvider, Proof } from '../providers/provider.js';
import { findPayment } from '../store/payments.js';
import {
  type Agreement,
  type ChargeDeps,
  charge,
  chargeOf,
  isStale,
  openCharge,
  recordConsent,
  requireAgreement,
} from './charges.js';
import { expired, findPayable, notPayable, requirePayable } from './payables.js';
import { providerOf, reconcile } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import { beginAt } from './provider-calls.js';

export type { Proof };

export interface PaymentsDeps extends ChargeDeps {
  /** One request at a time for the same payment. */
  readonly paying: KeyedLock;
}

export interface PayInput extends Agreement {
  readonly method: PayMethod;
  readonly outcome: SandboxOutcome;
}

/** Payments of one kind of payable, which is shown to its payer as `S`. */
export interface Payments<S> {
  readonly consentText: ConsentText;
  /** The provider of new payments. */
  readonly provider: PaymentProviderName;
  /** Throws not_found. */
  read(caller: Caller, orderNo: string): Promise<S>;
  /**
   * The last parameter of the following functions is called in the transaction of the change.
   *
   * Records the consent and starts the payment. A provider without a browser step charges at once. Throws
   * consent_required, order_expired, order_not_payable, account_blocked, payment_unavailable (nothing has been
   * charged), payment_mismatch, xcode_not_available (nothing has been charged).
   */
  pay(caller: Caller, orderNo: string, input: PayInput, agreed?: InTransaction): Promise<S>;
  /**
   * Called when the browser step is done. Idempotent. The returned payment may be `confirming`: the provider's answer
   * is then not certain yet, and a worker settles it.
   */
  confirm(caller: Caller, orderNo: string, proof: Proof, asked?: InTransaction): Promise<S>;
  /** Cancels what is unpaid. Throws order_not_payable, order_expired. */
  cancel(caller: Caller, orderNo: string, canceled?: InTransaction): Promise<S>;
}

/** Reads what the payer is shown; throws not_found. */
export type ShowPayment<S> = (q: Queries, caller: Caller, orderNo: string, checkout?: Checkout) => Promise<S>;

export function createPayments<S>(deps: PaymentsDeps, kind: PayableKind, show: ShowPayment<S>): Payments<S> {
  const { store, clock, providers, payables, paying } = deps;
  const consentText = deps.consentTexts[kind];
  const find = (q: Queries, caller: Caller, orderNo: string) => findPayable(q, payables, kind, caller, orderNo);

  /** Returns the state after a payment has ended; throws when it did not pay. */
  const stateAfter = async (caller: Caller, payment: Payment): Promise<S> => {
    if (payment.failureCode === 'payment_mismatch') throw new ApiError('payment_mismatch');
    if (payment.status === 'paid' || isOpen(payment)) return show(store, caller, payment.orderNo);
    const payable = await find(store, caller, payment.orderNo);
    throw payable.status === 'expired' ? expired(payable) : notPayable(payable, 'can no longer be paid');
  };

  const pay: Payments<S>['pay'] = async (caller, orderNo, input, agreed) => {
    const wanted = await find(store, caller, orderNo);
    requirePayable(wanted, clock.now());
    requireAgreement(caller, input, consentText);
    const before = await fetched(deps, orderNo);
    if (before && before.payment.status !== 'pending') {
      if (before.payment.status === 'paid') throw notPayable(wanted, 'has been paid');
      return stateAfter(caller, before.payment);
    }
    const started = await store.transaction(async (tx) => {
      const payable = await find(tx, caller, orderNo);
      requirePayable(payable, clock.now());
      const refusal = await payables[kind].refusal(tx, orderNo);
      if (refusal) return { refusal };
      const opened = await openCharge(tx, deps, payable);
      await recordConsent(tx, deps, caller, payable);
      await agreed?.(tx);
      wakeForPayment(tx, deps, opened);
      return { payable, payment: opened };
    });
    if ('refusal' in started) throw started.refusal;
    const { payable, payment } = started;
    const provider = providerOf(deps, payment);
    if (!provider) throw new ApiError('payment_unavailable');
    const { paid, checkout } = await beginAt(deps, provider, chargeOf(deps, payable, input.method));
    if (paid) return stateAfter(caller, await reconcile(deps, payment, provider));
    if (checkout !== null) return show(store, caller, orderNo, checkout);
    const proof = { paymentToken: null, txId: null, outcome: input.outcome };
    return stateAfter(caller, await charge(deps, caller, payment, provider, input.method, proof));
  };

  const confirm: Payments<S>['confirm'] = async (caller, orderNo, proof, asked) => {
    const payable = await find(store, caller, orderNo);
    const before = await fetched(deps, orderNo);
    if (!before || isStale(providers, before.payment)) {
      requirePayable(payable, clock.now());
      // Consent is recorded by `pay`.
      throw new ApiError('consent_required');
    }
    const { payment, provider } = before;
    if (payment.status !== 'pending') return stateAfter(caller, payment);
    const stillPayable = payable.status === 'open' && payable.payExpiresAt > clock.now();
    if (!stillPayable || caller.account.paymentsBlocked) {
      // The browser may have paid nevertheless: then the payment is refunded.
      const after = provider.remote ? await reconcile(deps, payment, provider) : payment;
      if (!isOpen(after)) return stateAfter(caller, after);
      requirePayable(await find(store, caller, orderNo), clock.now());
      requireUnblocked(caller);
    }
    return stateAfter(caller, await charge(deps, caller, payment, provider, 'card', proof, asked));
  };

  const cancel: Payments<S>['cancel'] = async (caller, orderNo, canceled) => {
    requirePayable(await find(store, caller, orderNo), clock.now());
    const before = await fetched(deps, orderNo);
    // The browser may have just paid.
    if (before?.payment.status === 'pending' && before.provider.remote) {
      await reconcile(deps, before.payment, before.provider);
    }
    await store.transaction(async (tx) => {
      const payable = await find(tx, caller, orderNo);
      requirePayable(payable, clock.now());
      const payment = await findPayment(tx, orderNo);
      if (payment?.status === 'confirming') {
        throw notPayable(payable, 'is being paid at this moment; wait until that ends');
      }
      if (!(await payables[kind].cancel(tx, orderNo))) throw notPayable(payable, 'can no longer be canceled');
      await canceled?.(tx);
    });
    return show(store, caller, orderNo);
  };

  return {
    consentText,
    provider: providers.current.name,
    read: (caller, orderNo) => show(store, caller, orderNo),
    pay: (caller, orderNo, ...rest) => paying.run(orderNo, () => pay(caller, orderNo, ...rest)),
    confirm: (caller, orderNo, ...rest) => paying.run(orderNo, () => confirm(caller, orderNo, ...rest)),
    cancel: (caller, orderNo, ...rest) => paying.run(orderNo, () => cancel(caller, orderNo, ...rest)),
  };
}

/** Returns the payment and its provider; fetches the payment first when its state is uncertain. */
async function fetched(
  deps: PaymentsDeps,
  orderNo: string,
): Promise<{ payment: Payment; provider: PaymentProvider } | null> {
  const payment = await findPayment(deps.store, orderNo);
  if (!payment) return null;
  const provider = providerOf(deps, payment);
  if (!provider) throw new ApiError('payment_unavailable');
  if (payment.status !== 'confirming') return { payment, provider };
  return { payment: await reconcile(deps, payment, provider), provider };
}

function requireUnblocked({ account }: Caller): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
}
