// Orders that were paid with credit: one payment for each.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type CreditPayment, creditPaymentFields } from '../domain/credit-payment.js';

export const creditPayments = table('credit_payments', creditPaymentFields);

export const insertCreditPayment = creditPayments.insert;

export const findCreditPayment = (q: Queries, orderNo: string): Promise<CreditPayment | null> =>
  creditPayments.get(q, 'WHERE order_no = :orderNo', { orderNo });

/** False, without writing, when more has been returned since it was read. */
export async function addReturned(tx: Transaction, seen: CreditPayment, won: number): Promise<boolean> {
  const { orderNo, returnedWon } = seen;
  return (await creditPayments.update(tx, { orderNo, returnedWon }, { returnedWon: returnedWon + won })) === 1;
}
