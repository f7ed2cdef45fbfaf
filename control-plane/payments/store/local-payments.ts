// The book of the providers that this service plays itself: what they hold, apart from what the service believes.

import { json, text } from '../../platform/domain/fields.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import type { LocalPayment } from '../domain/local-payment.js';

export const localPayments = table('local_payments', { paymentId: text(), entry: json<LocalPayment>() });

const put = localPayments.inserter({
  onConflict: `ON CONFLICT (payment_id) DO UPDATE SET ${localPayments.excluded('entry')}`,
});

export interface LocalPayments {
  read(paymentId: string): Promise<LocalPayment | null>;
  /** Reads and writes in one step; if `change` returns null, nothing is written. Returns the resulting value. */
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
        await put(tx, { paymentId, entry: after });
        return after;
      }),
  };
}

async function read(q: Queries, paymentId: string): Promise<LocalPayment | null> {
  return (await localPayments.get(q, 'WHERE payment_id = :paymentId', { paymentId }))?.entry ?? null;
}
