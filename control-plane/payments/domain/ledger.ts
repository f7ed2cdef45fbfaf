// What a look at a provider means for the ledger: every won that moved, by a name under which it can stand once.
import type { FoundPayment } from './provider-payment.js';

export interface LedgerEntry {
  readonly accountId: number;
  readonly orderNo: string;
  readonly kind: 'payment' | 'refund' | 'chargeback';
  /** Positive: it came. Negative: it went back. */
  readonly amountWon: number;
  /** Unique: a payment id is paid once, and a provider names each cancellation. */
  readonly reference: string;
  readonly at: number;
}

/** All that the ledger has to hold of a payment that was made, in won. Looking twice gives the same entries. */
export function ledgerEntries(
  payment: { orderNo: string; accountId: number },
  found: FoundPayment,
  now: number,
): LedgerEntry[] {
  const { orderNo, accountId } = payment;
  const came: LedgerEntry = {
    ...{ accountId, orderNo, kind: 'payment', amountWon: found.total },
    ...{ reference: `${orderNo}:payment`, at: found.paidAt ?? now },
  };
  const went = found.cancellations
    .filter(({ status }) => status === 'succeeded')
    .map(
      ({ id, amount, chargeback, at }): LedgerEntry => ({
        ...{ accountId, orderNo, kind: chargeback ? 'chargeback' : 'refund', amountWon: -amount },
        ...{ reference: `${orderNo}:cancellation:${id}`, at: at ?? now },
      }),
    );
  return [came, ...went];
}
