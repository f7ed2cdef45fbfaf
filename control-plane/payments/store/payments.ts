// Payments of orders: one an order.

import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import {
  type Payment,
  type PaymentEvent,
  type PaymentProviderName,
  type PaymentStatus,
  paymentTransitions,
} from '../domain/payment.js';

interface Row {
  order_no: string;
  account_id: number;
  provider: PaymentProviderName;
  status: PaymentStatus;
  amount_won: number;
  tx_id: string | null;
  method: string | null;
  receipt_url: string | null;
  failure_code: string | null;
  paid_at: number | null;
  cancelled_won: number;
  asked_at: number | null;
  attempts: number;
  look_at: number | null;
  created_at: number;
  updated_at: number;
}

const toPayment = (row: Row): Payment => ({
  orderNo: row.order_no,
  accountId: row.account_id,
  provider: row.provider,
  status: row.status,
  amountWon: row.amount_won,
  txId: row.tx_id,
  method: row.method,
  receiptUrl: row.receipt_url,
  failureCode: row.failure_code,
  paidAt: row.paid_at,
  cancelledWon: row.cancelled_won,
  askedAt: row.asked_at,
  attempts: row.attempts,
  lookAt: row.look_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findPayment(q: Queries, orderNo: string): Promise<Payment | null> {
  const row = await q.get<Row>('SELECT * FROM payments WHERE order_no = :orderNo', { orderNo });
  return row ? toPayment(row) : null;
}

/** A pending payment; the one that is there already stays as it is. Answers the one that is there then. */
export async function openPayment(
  tx: Transaction,
  payment: Pick<Payment, 'orderNo' | 'accountId' | 'provider' | 'amountWon' | 'lookAt'> & { now: number },
): Promise<Payment> {
  await tx.run(
    `INSERT INTO payments (order_no, account_id, provider, status, amount_won, look_at, created_at, updated_at)
     VALUES (:orderNo, :accountId, :provider, 'pending', :amountWon, :lookAt, :now, :now)
     ON CONFLICT (order_no) DO NOTHING`,
    payment,
  );
  const opened = await findPayment(tx, payment.orderNo);
  if (!opened) throw new Error(`the payment of ${payment.orderNo} was not written`);
  return opened;
}

const CHANGE_COLUMNS = {
  provider: 'provider',
  txId: 'tx_id',
  method: 'method',
  receiptUrl: 'receipt_url',
  failureCode: 'failure_code',
  paidAt: 'paid_at',
  cancelledWon: 'cancelled_won',
  askedAt: 'asked_at',
  attempts: 'attempts',
  lookAt: 'look_at',
} as const;

export type PaymentChanges = Partial<Pick<Payment, keyof typeof CHANGE_COLUMNS>>;

/**
 * Takes a payment from the status in which it was seen to where `event` leads; null when it cannot go there or is
 * not as it was seen any more. Without an event the status stays.
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
  const params: Record<string, SqlValue> = { orderNo: seen.orderNo, from: seen.status, to, now };
  let set = '';
  for (const name of Object.keys(changes) as (keyof PaymentChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    params[name] = changes[name] ?? null;
  }
  const row = await tx.get<Row>(
    `UPDATE payments SET status = :to, updated_at = :now${set}
     WHERE order_no = :orderNo AND status = :from RETURNING *`,
    params,
  );
  return row ? toPayment(row) : null;
}

/** Something may have happened at the provider: look now. */
export async function expediteLook(tx: Transaction, orderNo: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE payments SET look_at = :now, attempts = CASE WHEN status = 'paid' THEN attempts ELSE 0 END
     WHERE order_no = :orderNo`,
    { orderNo, now },
  );
}

/** Payments at which to look now, longest due first, and when the next one is due. */
export async function readDueLooks(
  q: Queries,
  now: number,
  limit: number,
): Promise<{ due: Payment[]; nextAt: number | null }> {
  const due = await q.all<Row>(
    'SELECT * FROM payments WHERE look_at <= :now ORDER BY look_at, order_no LIMIT :limit',
    { now, limit },
  );
  const next = await q.get<{ at: number | null }>(
    'SELECT MIN(look_at) AS at FROM payments WHERE look_at > :now',
    { now },
  );
  return { due: due.map(toPayment), nextAt: next?.at ?? null };
}
