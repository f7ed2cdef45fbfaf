// The payments at the providers that this service simulates.
import type { Store } from '../../platform/store/sql.js';
import type { LocalPayment } from '../domain/local-payment.js';
import { findLocalPayment, putLocalPayment } from '../store/local-payments.js';

export function createLocalPayments(store: Store) {
  return {
    read: (paymentId: string): Promise<LocalPayment | null> => findLocalPayment(store, paymentId),
    /** Reads and writes in one step; if `change` returns null, nothing is written. Returns the resulting value. */
    change: (paymentId: string, change: (payment: LocalPayment | null) => LocalPayment | null) =>
      store.transaction(async (tx) => {
        const before = await findLocalPayment(tx, paymentId);
        const after = change(before);
        if (!after) return before;
        await putLocalPayment(tx, { paymentId, entry: after });
        return after;
      }),
  };
}
