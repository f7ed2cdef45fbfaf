// A person pays an order, or cancels it. Every answer of a provider is checked by a look of our own.

import { createKeyedLock } from '../../platform/app/keyed-lock.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { DetailedOrder } from '../../renting/app/order-lookup.js';
import { detailedOrders, findOrderOf } from '../../renting/app/order-lookup.js';
import type { Order } from '../../renting/domain/order.js';
import type { ConsentText } from '../domain/consent.js';
import {
  isOpen,
  type PayMethod,
  type Payment,
  type PaymentProviderName,
  type SandboxOutcome,
} from '../domain/payment.js';
import type { Charge, Checkout, PaymentProvider, Proof } from '../providers/provider.js';
import { insertConsent } from '../store/consents.js';
import { changePayment, findPayment, openPayment } from '../store/payments.js';
import { type LookDeps, look, providerOf } from './payment-looks.js';
import { wakeForPayment } from './payment-settlement.js';
import { askToCharge, beginAt, orderName } from './provider-calls.js';

export interface PaymentsDeps extends LookDeps {
  readonly consentText: ConsentText;
  /** Where the payer's browser comes back to, for an order. */
  payUrl(orderNo: string): string;
}

export interface PayInput {
  readonly terms: boolean;
  readonly withdrawal: boolean;
  /** Of the text that the person has seen; null: whichever is valid. */
  readonly textVersion: string | null;
  readonly method: PayMethod;
  readonly outcome: SandboxOutcome;
}

/** How things stand with an order. */
export interface PaymentState extends DetailedOrder {
  /** Null: nobody has begun to pay. */
  readonly payment: Payment | null;
  /** What the browser needs; null when it has nothing to do. */
  readonly checkout: Checkout;
}

export interface Payments {
  readonly consentText: ConsentText;
  /** Who takes new payments. */
  readonly provider: PaymentProviderName;
  /** Throws not_found. */
  read(caller: Caller, orderNo: string): Promise<PaymentState>;
  /**
   * Records the consent and begins the payment. With a provider that needs no browser the payment is made at once.
   * Throws consent_required, order_expired, order_not_payable, account_blocked, payment_unavailable (nothing has
   * been charged), payment_mismatch.
   */
  pay(caller: Caller, orderNo: string, input: PayInput): Promise<PaymentState>;
  /**
   * The browser is done. Harmless to repeat. The payment may be `confirming` in the answer: then the provider has not
   * answered for certain, and it is settled by itself.
   */
  confirm(caller: Caller, orderNo: string, proof: Proof): Promise<PaymentState>;
  /** Cancels an order that has not been paid. Throws order_not_payable, order_expired. */
  cancel(caller: Caller, orderNo: string): Promise<PaymentState>;
}

export function createPayments(deps: PaymentsDeps): Payments {
  const { store, clock, limits, providers, consentText } = deps;
  // What one order's person does in two windows is done one after the other.
  const lock = createKeyedLock();

  const find = async (q: Queries, caller: Caller, orderNo: string): Promise<Order> => {
    const order = await findOrderOf(q, caller.account.id, orderNo);
    if (!order) throw new ApiError('not_found', { message: 'No such order.' });
    return order;
  };

  const stateOf = async (
    caller: Caller,
    orderNo: string,
    checkout: Checkout = null,
  ): Promise<PaymentState> => {
    const order = await find(store, caller, orderNo);
    const [detailed] = await detailedOrders(store, [order]);
    if (!detailed) throw new Error(`nothing is known of order ${orderNo}`);
    return { ...detailed, payment: await findPayment(store, orderNo), checkout };
  };

  /** Throws unless the order can be paid now. */
  const requirePayable = (order: Order): void => {
    if (order.status === 'expired') throw new ApiError('order_expired');
    if (order.status !== 'awaiting_payment') throw new ApiError('order_not_payable');
    if (order.payExpiresAt <= clock.now()) throw new ApiError('order_expired');
  };

  /** A payment in doubt is looked at first; answers what is known of it then. */
  const known = async (orderNo: string): Promise<{ payment: Payment; provider: PaymentProvider } | null> => {
    const payment = await findPayment(store, orderNo);
    if (!payment) return null;
    const provider = providerOf(deps, payment);
    if (!provider) throw new ApiError('payment_unavailable');
    if (payment.status !== 'confirming') return { payment, provider };
    return { payment: await look(deps, payment, provider), provider };
  };

  /** Says what became of a payment that is over; throws when it did not pay the order. */
  const outcome = async (caller: Caller, payment: Payment): Promise<PaymentState> => {
    const state = await stateOf(caller, payment.orderNo);
    if (payment.failureCode === 'payment_mismatch') throw new ApiError('payment_mismatch');
    if (payment.status === 'paid' || isOpen(payment)) return state;
    if (state.order.status === 'expired') throw new ApiError('order_expired');
    throw new ApiError('order_not_payable');
  };

  /** Consent and payment are written before anybody is asked for money. */
  const begin = async (tx: Transaction, order: Order): Promise<Payment> => {
    const now = clock.now();
    const { orderNo, accountId, amountWon } = order;
    const { name, remote } = providers.taker(amountWon);
    const lookAt = remote ? now + limits.payment_poll_ms : null;
    const opened = await openPayment(tx, { orderNo, accountId, amountWon, provider: name, lookAt, now });
    if (!isStale(opened)) return opened;
    return (await changePayment(tx, opened, null, { provider: name, lookAt, attempts: 0 }, now)) ?? opened;
  };

  /** Begun where nothing can have been paid meanwhile, and where nothing is paid any more. */
  const isStale = ({ provider, status, amountWon }: Payment): boolean =>
    status === 'pending' &&
    provider !== providers.taker(amountWon).name &&
    providers.named(provider)?.remote === false;

  const recordConsent = (tx: Transaction, caller: Caller, orderNo: string) => {
    const userId = caller.person?.userId;
    if (userId === undefined) throw new ApiError('console_only');
    const { version: textVersion, sha256: textSha256 } = consentText;
    return insertConsent(tx, { orderNo, userId, textVersion, textSha256, ip: caller.ip, at: clock.now() });
  };

  const chargeOf = (order: Order, method: PayMethod): Charge => ({
    orderNo: order.orderNo,
    orderName: orderName(order),
    amountWon: order.amountWon,
    method,
    returnUrl: deps.payUrl(order.orderNo),
  });

  /** `confirming` is on disk before the provider is asked, and nothing counts but what a look finds afterwards. */
  const charge = async (
    caller: Caller,
    payment: Payment,
    provider: PaymentProvider,
    method: PayMethod,
    proof: Proof,
  ): Promise<PaymentState> => {
    const { orderNo } = payment;
    const order = await store.transaction(async (tx) => {
      const payable = await find(tx, caller, orderNo);
      requirePayable(payable);
      const now = clock.now();
      const asked = { askedAt: now, attempts: 0, lookAt: now + limits.payment_look_ms, failureCode: null };
      const asking = await changePayment(tx, payment, 'ask', asked, now);
      if (asking) wakeForPayment(tx, deps, asking);
      return asking ? payable : null;
    });
    // Somebody else, in another process, was faster.
    if (!order) return stateOf(caller, orderNo);
    const answer = await askToCharge(deps, provider, chargeOf(order, method), proof);
    const after = await look(deps, payment, provider, answer);
    return outcome(caller, after);
  };

  const pay = async (caller: Caller, orderNo: string, input: PayInput): Promise<PaymentState> => {
    requirePayable(await find(store, caller, orderNo));
    requireUnblocked(caller);
    requireConsent(input, consentText);
    const before = await known(orderNo);
    if (before && before.payment.status !== 'pending') {
      if (before.payment.status === 'paid') throw new ApiError('order_not_payable');
      return outcome(caller, before.payment);
    }
    const { order, payment } = await store.transaction(async (tx) => {
      const payable = await find(tx, caller, orderNo);
      requirePayable(payable);
      const opened = await begin(tx, payable);
      await recordConsent(tx, caller, orderNo);
      wakeForPayment(tx, deps, opened);
      return { order: payable, payment: opened };
    });
    const provider = providerOf(deps, payment);
    if (!provider) throw new ApiError('payment_unavailable');
    const { paid, checkout } = await beginAt(deps, provider, chargeOf(order, input.method));
    if (paid) return outcome(caller, await look(deps, payment, provider));
    if (checkout !== null) return stateOf(caller, orderNo, checkout);
    const proof = { paymentToken: null, txId: null, outcome: input.outcome };
    return charge(caller, payment, provider, input.method, proof);
  };

  const confirm = async (caller: Caller, orderNo: string, proof: Proof): Promise<PaymentState> => {
    const order = await find(store, caller, orderNo);
    const before = await known(orderNo);
    if (!before || isStale(before.payment)) {
      requirePayable(order);
      // Whoever pays has agreed first: that is what `pay` is for.
      throw new ApiError('consent_required');
    }
    const { payment, provider } = before;
    if (payment.status !== 'pending') return outcome(caller, payment);
    const stillPayable = order.status === 'awaiting_payment' && order.payExpiresAt > clock.now();
    if (!stillPayable || caller.account.paymentsBlocked) {
      // The browser may have paid all the same: then all of it goes back.
      const after = provider.remote ? await look(deps, payment, provider) : payment;
      if (!isOpen(after)) return outcome(caller, after);
      requirePayable(await find(store, caller, orderNo));
      requireUnblocked(caller);
    }
    return charge(caller, payment, provider, 'card', proof);
  };

  const cancel = async (caller: Caller, orderNo: string): Promise<PaymentState> => {
    requirePayable(await find(store, caller, orderNo));
    const before = await known(orderNo);
    // The browser may have paid a moment ago.
    if (before?.payment.status === 'pending' && before.provider.remote) {
      await look(deps, before.payment, before.provider);
    }
    await store.transaction(async (tx) => {
      const order = await find(tx, caller, orderNo);
      requirePayable(order);
      const payment = await findPayment(tx, orderNo);
      if (payment?.status === 'confirming') {
        throw new ApiError('order_not_payable', {
          message: 'A payment of the order is under way; wait for it.',
        });
      }
      if (!(await deps.orders.cancel(tx, order, 'canceled_by_person')))
        throw new ApiError('order_not_payable');
    });
    return stateOf(caller, orderNo);
  };

  return {
    consentText,
    provider: providers.current.name,
    read: (caller, orderNo) => stateOf(caller, orderNo),
    pay: (caller, orderNo, input) => lock.run(orderNo, () => pay(caller, orderNo, input)),
    confirm: (caller, orderNo, proof) => lock.run(orderNo, () => confirm(caller, orderNo, proof)),
    cancel: (caller, orderNo) => lock.run(orderNo, () => cancel(caller, orderNo)),
  };
}

function requireUnblocked({ account }: Caller): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
}

function requireConsent({ terms, withdrawal, textVersion }: PayInput, text: ConsentText): void {
  if (!terms || !withdrawal) throw new ApiError('consent_required');
  if (textVersion !== null && textVersion !== text.version) {
    throw new ApiError('consent_required', {
      message: 'The text has changed since it was shown; show the new one.',
      detail: { version: text.version },
    });
  }
}
