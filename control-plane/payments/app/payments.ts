// Payment of an order by a person, and cancellation. Every answer of a provider is verified by fetching the payment.

import type { InTransaction } from '../../platform/app/in-transaction.js';
import { createKeyedLock } from '../../platform/app/keyed-lock.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { ConsentText } from '../domain/consent.js';
import {
  isOpen,
  type PayMethod,
  type Payment,
  type PaymentProviderName,
  type SandboxOutcome,
} from '../domain/payment.js';
import type { PaymentProvider, Proof } from '../providers/provider.js';
import { findPayment } from '../store/payments.js';
import { type ChargeDeps, charge, chargeOf, isStale, openCharge, recordConsent } from './charges.js';
import { providerOf, reconcile } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import { findOrder, type PaymentState, paymentState, requirePayable, stateAfter } from './payment-state.js';
import { beginAt } from './provider-calls.js';

export type PaymentsDeps = ChargeDeps;

export interface PayInput {
  readonly terms: boolean;
  readonly withdrawal: boolean;
  /** Version of the text that was shown; null: the current one. */
  readonly textVersion: string | null;
  readonly method: PayMethod;
  readonly outcome: SandboxOutcome;
}

export interface Payments {
  readonly consentText: ConsentText;
  /** The provider of new payments. */
  readonly provider: PaymentProviderName;
  /** Throws not_found. */
  read(caller: Caller, orderNo: string): Promise<PaymentState>;
  /**
   * The last parameter of the following functions is called in the transaction of the change.
   *
   * Records the consent and starts the payment. A provider without a browser step charges at once. Throws
   * consent_required, order_expired, order_not_payable, account_blocked, payment_unavailable (nothing has been
   * charged), payment_mismatch.
   */
  pay(caller: Caller, orderNo: string, input: PayInput, agreed?: InTransaction): Promise<PaymentState>;
  /**
   * Called when the browser step is done. Idempotent. The returned payment may be `confirming`: the provider's answer
   * is then not certain yet, and a worker settles it.
   */
  confirm(caller: Caller, orderNo: string, proof: Proof, asked?: InTransaction): Promise<PaymentState>;
  /** Cancels an unpaid order. Throws order_not_payable, order_expired. */
  cancel(caller: Caller, orderNo: string, canceled?: InTransaction): Promise<PaymentState>;
}

export function createPayments(deps: PaymentsDeps): Payments {
  const { store, clock, providers, consentText } = deps;
  // Serializes requests for the same order.
  const lock = createKeyedLock();

  /** Returns the payment and its provider; fetches the payment first when its state is uncertain. */
  const known = async (orderNo: string): Promise<{ payment: Payment; provider: PaymentProvider } | null> => {
    const payment = await findPayment(store, orderNo);
    if (!payment) return null;
    const provider = providerOf(deps, payment);
    if (!provider) throw new ApiError('payment_unavailable');
    if (payment.status !== 'confirming') return { payment, provider };
    return { payment: await reconcile(deps, payment, provider), provider };
  };

  const pay: Payments['pay'] = async (caller, orderNo, input, agreed) => {
    requirePayable(await findOrder(store, caller, orderNo), clock.now());
    requireUnblocked(caller);
    requireConsent(input, consentText);
    const before = await known(orderNo);
    if (before && before.payment.status !== 'pending') {
      if (before.payment.status === 'paid') throw new ApiError('order_not_payable');
      return stateAfter(store, caller, before.payment);
    }
    const { order, payment } = await store.transaction(async (tx) => {
      const payable = await findOrder(tx, caller, orderNo);
      requirePayable(payable, clock.now());
      const opened = await openCharge(tx, deps, payable);
      await recordConsent(tx, deps, caller, orderNo);
      await agreed?.(tx);
      wakeForPayment(tx, deps, opened);
      return { order: payable, payment: opened };
    });
    const provider = providerOf(deps, payment);
    if (!provider) throw new ApiError('payment_unavailable');
    const { paid, checkout } = await beginAt(deps, provider, chargeOf(deps, order, input.method));
    if (paid) return stateAfter(store, caller, await reconcile(deps, payment, provider));
    if (checkout !== null) return paymentState(store, caller, orderNo, checkout);
    const proof = { paymentToken: null, txId: null, outcome: input.outcome };
    return charge(deps, caller, payment, provider, input.method, proof);
  };

  const confirm: Payments['confirm'] = async (caller, orderNo, proof, asked) => {
    const order = await findOrder(store, caller, orderNo);
    const before = await known(orderNo);
    if (!before || isStale(providers, before.payment)) {
      requirePayable(order, clock.now());
      // Consent is recorded by `pay`.
      throw new ApiError('consent_required');
    }
    const { payment, provider } = before;
    if (payment.status !== 'pending') return stateAfter(store, caller, payment);
    const stillPayable = order.status === 'awaiting_payment' && order.payExpiresAt > clock.now();
    if (!stillPayable || caller.account.paymentsBlocked) {
      // The browser may have paid nevertheless: then the payment is refunded.
      const after = provider.remote ? await reconcile(deps, payment, provider) : payment;
      if (!isOpen(after)) return stateAfter(store, caller, after);
      requirePayable(await findOrder(store, caller, orderNo), clock.now());
      requireUnblocked(caller);
    }
    return charge(deps, caller, payment, provider, 'card', proof, asked);
  };

  const cancel: Payments['cancel'] = async (caller, orderNo, canceled) => {
    requirePayable(await findOrder(store, caller, orderNo), clock.now());
    const before = await known(orderNo);
    // The browser may have just paid.
    if (before?.payment.status === 'pending' && before.provider.remote) {
      await reconcile(deps, before.payment, before.provider);
    }
    await store.transaction(async (tx) => {
      const order = await findOrder(tx, caller, orderNo);
      requirePayable(order, clock.now());
      const payment = await findPayment(tx, orderNo);
      if (payment?.status === 'confirming') {
        throw new ApiError('order_not_payable', {
          message: 'A payment of this order is in progress; wait until it ends.',
        });
      }
      if (!(await deps.orders.cancel(tx, order, 'canceled_by_person')))
        throw new ApiError('order_not_payable');
      await canceled?.(tx);
    });
    return paymentState(store, caller, orderNo);
  };

  return {
    consentText,
    provider: providers.current.name,
    read: (caller, orderNo) => paymentState(store, caller, orderNo),
    pay: (caller, orderNo, ...rest) => lock.run(orderNo, () => pay(caller, orderNo, ...rest)),
    confirm: (caller, orderNo, ...rest) => lock.run(orderNo, () => confirm(caller, orderNo, ...rest)),
    cancel: (caller, orderNo, ...rest) => lock.run(orderNo, () => cancel(caller, orderNo, ...rest)),
  };
}

function requireUnblocked({ account }: Caller): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
}

function requireConsent({ terms, withdrawal, textVersion }: PayInput, text: ConsentText): void {
  if (!terms || !withdrawal) throw new ApiError('consent_required');
  if (textVersion !== null && textVersion !== text.version) {
    throw new ApiError('consent_required', {
      message: 'The text has changed since it was shown; show the current one.',
      detail: { version: text.version },
    });
  }
}
