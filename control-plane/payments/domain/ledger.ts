// Ledger entries of a fetched payment: one for each amount that moved, under a unique reference.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { FoundPayment } from './provider-payment.js';

export const ledgerFields = {
  accountId: int(),
  orderNo: text(),
  kind: text<'payment' | 'refund' | 'chargeback'>(),
  /** Positive: received. Negative: refunded. */
  amountWon: int(),
  /** Unique: a payment id is paid once, and a provider gives each cancellation an id. */
  reference: text(),
  at: int(),
};
export type LedgerEntry = RecordOf<typeof ledgerFields>;

/** Returns all ledger entries of a payment that was made, in won. The same payment always gives the same entries. */
export function ledgerEntries(
  payment: { orderNo: string; accountId: number },
  found: FoundPayment,
  now: number,
): LedgerEntry[] {
  const { orderNo, accountId } = payment;
  const came: LedgerEntry = {
    accountId,
    orderNo,
    kind: 'payment',
    amountWon: found.total,
    reference: `${orderNo}:payment`,
    at: found.paidAt ?? now,
  };
  const went = found.cancellations
    .filter(({ status }) => status === 'succeeded')
    .map(
      ({ id, amount, chargeback, at }): LedgerEntry => ({
        accountId,
        orderNo,
        kind: chargeback ? 'chargeback' : 'refund',
        amountWon: -amount,
        reference: `${orderNo}:cancellation:${id}`,
        at: at ?? now,
      }),
    );
  return [came, ...went];
}
