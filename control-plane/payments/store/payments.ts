// Payments: one an order or top-up.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Payment, type PaymentEvent, paymentFields, paymentTransitions } from '../domain/payment.js';

export const payments = table('payments', paymentFields);

export function findPayment(q: Queries, orderNo: string): Promise<Payment | null> {
  return payments.get(q, 'WHERE order_no = :orderNo', { orderNo });
}

const open = payments.inserter({ onConflict: 'ON CONFLICT (order_no) DO NOTHING' });

/** Inserts a pending payment unless there is one; returns the payment. */
export async function openPayment(
  tx: Transaction,
  {
    now,
    ...payment
  }: Pick<Payment, 'kind' | 'orderNo' | 'accountId' | 'provider' | 'amountWon' | 'fetchAt'> & { now: number },
): Promise<Payment> {
  await open(tx, { ...payment, createdAt: now, updatedAt: now });
  const opened = await findPayment(tx, payment.orderNo);
  if (!opened) throw new Error(`the payment of ${payment.orderNo} was not written`);
  return opened;
}

export type PaymentChanges = Partial<
  Omit<Payment, 'kind' | 'orderNo' | 'accountId' | 'status' | 'amountWon' | 'createdAt' | 'updatedAt'>
>;

/**
 * Applies `event` to a payment in the status in which it was read; null when that is not possible or it is
 * no longer as it was read. Without an event the status stays.
 */
export async function changePayment(
  tx: Transaction,
  seen: Pick<Payment, 'orderNo' | 'status'>,
  event: PaymentEvent | null,
  changes: PaymentChanges,
  now: number,
): Promise<Payment | null> {
  const to = event === null ? seen.status : paymentTransitions[seen.status][event];
  if (to === null) return null;
  const { orderNo, status } = seen;
  return payments.change(tx, { orderNo, status }, { ...changes, status: to, updatedAt: now });
}

/** Makes the payment due to be fetched now. */
export async function expediteLook(tx: Transaction, orderNo: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE payments SET fetch_at = :now, attempts = CASE WHEN status = 'paid' THEN attempts ELSE 0 END
     WHERE order_no = :orderNo`,
    { orderNo, now },
  );
}

/** Payments to fetch now, longest due first, and when the next one is due. */
export async function readDueLooks(
  q: Queries,
  now: number,
  limit: number,
): Promise<{ due: Payment[]; nextAt: number | null }> {
  const due = await payments.all(q, 'WHERE fetch_at <= :now ORDER BY fetch_at, order_no LIMIT :limit', {
    now,
    limit,
  });
  const next = await q.get<{ at: number | null }>('SELECT MIN(fetch_at) AS at FROM payments WHERE fetch_at > :now', {
    now,
  });
  return { due, nextAt: next?.at ?? null };
}
