// The book of the providers that this service plays itself: what they hold, apart from what the service believes.

import type { Queries, Store } from '../../platform/store/sql.js';
import type { LocalPayment } from '../domain/local-payment.js';

export interface LocalPayments {
  read(paymentId: string): Promise<LocalPayment | null>;
  /** Reads and writes in one step; null from `change` leaves it as it is. Answers what stands there then. */
  change(
    paymentId: string,
    change: (payment: LocalPayment | null) => LocalPayment | null,
  ): Promise<LocalPayment | null>;
}

export function createLocalPayments(store: Store): LocalPayments {
  return {
    read: (paymentId) => read(store, paymentId),
    change: (paymentId, change) =>
      store.transaction(async (tx) => {
        const before = await read(tx, paymentId);
        const after = change(before);
        if (!after) return before;
        await tx.run(
          `INSERT INTO local_payments (payment_id, entry) VALUES (:paymentId, :entry)
           ON CONFLICT (payment_id) DO UPDATE SET entry = excluded.entry`,
          { paymentId, entry: JSON.stringify(after) },
        );
        return after;
      }),
  };
}

async function read(q: Queries, paymentId: string): Promise<LocalPayment | null> {
  const row = await q.get<{ entry: string }>(
    'SELECT entry FROM local_payments WHERE payment_id = :paymentId',
    {
      paymentId,
    },
  );
  // Written by `change` alone.
  return row ? (JSON.parse(row.entry) as LocalPayment) : null;
}
