// The payments at the simulated providers, kept apart from the service's own records.

import { json, text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import type { LocalPayment } from '../domain/local-payment.js';

export const localPayments = table('local_payments', { paymentId: text(), entry: json<LocalPayment>() });

/** Adds the payment or replaces it. */
export const putLocalPayment = localPayments.inserter({
  onConflict: `ON CONFLICT (payment_id) DO UPDATE SET ${localPayments.excluded('entry')}`,
});

export async function findLocalPayment(q: Queries, paymentId: string): Promise<LocalPayment | null> {
  return (await localPayments.get(q, 'WHERE payment_id = :paymentId', { paymentId }))?.entry ?? null;
}
