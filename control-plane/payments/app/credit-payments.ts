// An order is paid with the organization's credit: whole, at the rate of the day, in one transaction with what it buys.

import type { Clock } from '../../../shared/clock.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { usdText } from '../../platform/domain/usd-text.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { creditFor } from '../domain/credit.js';
import { type CreditPrice, creditPrice } from '../domain/credit-payment.js';
import { insertCreditEntry, readAvailable } from '../store/credit-ledger.js';
import { addReturned, findCreditPayment, insertCreditPayment } from '../store/credit-payments.js';
import { findPayment } from '../store/payments.js';
import { type Agreement, type ChargeDeps, recordConsent, requireAgreement } from './charges.js';
import type { ExchangeRates } from './exchange-rates.js';
import { findPayable, notPayable, requirePayable } from './payables.js';
import { wakeForPayment } from './payment-settlement.js';
import { type PaymentState, paymentState } from './payment-state.js';

export interface CreditPaymentsDeps extends Pick<ChargeDeps, 'store' | 'clock' | 'wake' | 'payables' | 'consentTexts'> {
  readonly rates: ExchangeRates;
}

/** What an order costs in credit, and what there is. */
export interface CreditOffer {
  readonly price: CreditPrice;
  /** Millionths of a dollar; negative after a chargeback of spent credit. */
  readonly available: number;
}

export interface CreditPayInput extends Agreement {
  /** The price that the payer was shown. */
  readonly priceMicroUsd: number;
}

export type CreditPayments = ReturnType<typeof createCreditPayments>;

export function createCreditPayments(deps: CreditPaymentsDeps) {
  const { store, clock, payables, consentTexts, rates } = deps;
  const find = (q: Queries, caller: Caller, orderNo: string) => findPayable(q, payables, 'order', caller, orderNo);
  return {
    /** Returns null for an order that costs nothing or can no longer be paid, and while there is no exchange rate. */
    async offer({ order, creditPayment }: PaymentState): Promise<CreditOffer | null> {
      if (order.status !== 'awaiting_payment' || creditPayment || order.amountWon === 0) return null;
      const rate = await rates.today().catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'fx_unavailable') return null;
        throw error;
      });
      if (!rate) return null;
      return { price: creditPrice(order.amountWon, rate), available: await readAvailable(store, order.accountId) };
    },

    /**
     * Takes the credit and fulfills the order, or does neither.
     *
     * @param agreed called in the transaction
     * @throws ApiError not_found, order_expired, order_not_payable, consent_required, account_blocked,
     * xcode_not_available, fx_unavailable, payment_mismatch when the price is another one than was shown,
     * insufficient_credit
     */
    async pay(caller: Caller, orderNo: string, input: CreditPayInput, agreed?: InTransaction): Promise<PaymentState> {
      requirePayable(await find(store, caller, orderNo), clock.now());
      requireAgreement(caller, input, consentTexts.order);
      const rate = await rates.today();
      await store.transaction(async (tx) => {
        const payable = await find(tx, caller, orderNo);
        requirePayable(payable, clock.now());
        if ((await findPayment(tx, orderNo))?.status === 'confirming') {
          throw notPayable(payable, 'is being paid at this moment; wait until that ends');
        }
        const { accountId, amountWon } = payable;
        if (amountWon === 0) throw notPayable(payable, 'costs nothing and is approved without credit');
        const refusal = await payables.order.refusal(tx, orderNo);
        if (refusal) throw refusal;
        const price = creditPrice(amountWon, rate);
        await requireCredit(tx, accountId, price, input.priceMicroUsd);
        const userId = await recordConsent(tx, deps, caller, payable);
        await agreed?.(tx);
        const paidAt = clock.now();
        await insertCreditPayment(tx, { orderNo, accountId, userId, paidAt, ...price });
        await insertCreditEntry(tx, {
          accountId,
          kind: 'order',
          microUsd: -price.creditMicroUsd,
          paidOrderNo: orderNo,
          orderId: null,
          krw: null,
          reason: null,
          reference: `order:${orderNo}`,
          at: paidAt,
        });
        // Throwing rolls everything back when the order cannot be fulfilled.
        if (!(await payables.order.pay(tx, orderNo, paidAt))) throw notPayable(payable, 'can no longer be paid');
        wakeForPayment(tx, deps, { orderNo, accountId });
      });
      return paymentState(store, caller, orderNo);
    },
  };
}

async function requireCredit(tx: Transaction, accountId: number, price: CreditPrice, shown: number): Promise<void> {
  const { creditMicroUsd, krwPerUsd } = price;
  if (shown !== creditMicroUsd) {
    const problem = fieldProblem('changed_meanwhile', { now: String(creditMicroUsd), shown: String(shown) });
    throw fieldError('payment_mismatch', 'price_micro_usd', problem, {
      message: `The price in credit is ${usdText(creditMicroUsd)} USD now, at ${krwPerUsd} won per dollar. Nothing was taken.`,
    });
  }
  const available = await readAvailable(tx, accountId);
  if (available < creditMicroUsd) {
    throw new ApiError('insufficient_credit', {
      message: `The order costs ${usdText(creditMicroUsd)} USD of credit; ${usdText(available)} USD are available.`,
    });
  }
}

/**
 * Returns the credit that `amountWon` of an order took, in the caller's transaction. The parts of an order add up to what
 * it took.
 *
 * @returns millionths of a dollar; null if the order was not paid with credit
 */
export async function returnCredit(
  tx: Transaction,
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  { orderNo, amountWon }: { readonly orderNo: string; readonly amountWon: number },
): Promise<number | null> {
  const payment = await findCreditPayment(tx, orderNo);
  if (!payment) return null;
  const { accountId, returnedWon } = payment;
  const microUsd = creditFor(payment, returnedWon, amountWon);
  if (!(await addReturned(tx, payment, amountWon))) throw new Error(`the credit payment of ${orderNo} changed`);
  await insertCreditEntry(tx, {
    accountId,
    kind: 'order_refund',
    microUsd,
    paidOrderNo: orderNo,
    orderId: null,
    krw: null,
    reason: null,
    reference: `order_refund:${orderNo}:${returnedWon + amountWon}`,
    at: clock.now(),
  });
  return microUsd;
}

/** Returns what `returnCredit` would return, without a change. */
export async function creditOfRefund(
  q: Queries,
  { orderNo, amountWon }: { readonly orderNo: string; readonly amountWon: number },
): Promise<number | null> {
  const payment = await findCreditPayment(q, orderNo);
  return payment && creditFor(payment, payment.returnedWon, amountWon);
}
