// Top-ups with what their payments add.

import { int, text } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import type { PaymentStatus } from '../domain/payment.js';
import { type TopUp, type TopUpEvent, topUpFields, topUpTransitions } from '../domain/top-up.js';

export const topUps = table('top_ups', topUpFields);

export const insertTopUp = topUps.insert;

/** Of any account. */
export function findTopUp(q: Queries, orderId: string): Promise<TopUp | null> {
  return topUps.get(q, 'WHERE order_id = :orderId', { orderId });
}

const withPayment = topUps.and({
  paymentStatus: ['p.status', text<PaymentStatus>()],
  txId: ['p.tx_id', text().orNull],
  method: ['p.method', text().orNull],
  receiptUrl: ['p.receipt_url', text().orNull],
  failureCode: ['p.failure_code', text().orNull],
  paidAt: ['p.paid_at', int().orNull],
  cancelledWon: ['p.cancelled_won', int()],
  withdrawingWon: [
    `(SELECT COALESCE(SUM(c.amount_won), 0) FROM payment_cancellations c
      WHERE c.order_no = top_ups.order_id AND c.status = 'open' AND c.credit_micro_usd IS NOT NULL)`,
    int(),
  ],
});

/** A top-up, its payment, and the won that are being withdrawn. */
export type PaidTopUp = Selected<typeof withPayment>;

const JOIN = 'JOIN payments p ON p.order_no = top_ups.order_id';

/** Returns null for another account's top-up. */
export function readTopUp(q: Queries, accountId: number, orderId: string): Promise<PaidTopUp | null> {
  return withPayment.get(q, `${JOIN} WHERE top_ups.order_id = :orderId AND top_ups.account_id = :accountId`, {
    accountId,
    orderId,
  });
}

export type TopUpPosition = Pick<TopUp, 'createdAt' | 'orderId'>;

/** Newest first. */
export function listTopUps(
  q: Queries,
  page: { accountId: number; after: TopUpPosition | null; limit: number },
): Promise<PaidTopUp[]> {
  const { accountId, after, limit } = page;
  return withPayment.all(
    q,
    `${JOIN} WHERE top_ups.account_id = :accountId
       ${after === null ? '' : 'AND (top_ups.created_at, top_ups.order_id) < (:createdAt, :orderId)'}
     ORDER BY top_ups.created_at DESC, top_ups.order_id DESC LIMIT :limit`,
    { accountId, limit, ...after },
  );
}

export const countOpenTopUps = (q: Queries, accountId: number): Promise<number> =>
  readCount(
    q,
    `SELECT COUNT(*) AS n FROM top_ups WHERE account_id = :accountId AND state = 'open'
       AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_no = top_ups.order_id
         AND p.status IN ('late', 'failed', 'cancelled'))`,
    { accountId },
  );

/** Returns false when the event changes nothing: the top-up is no longer open, or there is none. */
export async function changeTopUp(tx: Transaction, orderId: string, event: TopUpEvent): Promise<boolean> {
  const topUp = await findTopUp(tx, orderId);
  const state = topUp && topUpTransitions[topUp.state][event];
  if (!topUp || !state) return false;
  return (await topUps.update(tx, { orderId, state: topUp.state }, { state })) === 1;
}

/**
 * Returns open top-ups that have expired, and when the next one does. Excludes those whose payment is in doubt: they
 * wait for the provider's answer.
 */
export async function readOverdueTopUps(q: Queries, now: number): Promise<{ due: TopUp[]; nextAt: number | null }> {
  const due = await topUps.all(
    q,
    `WHERE state = 'open' AND expires_at <= :now
       AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_no = top_ups.order_id AND p.status = 'confirming')
     ORDER BY expires_at LIMIT 100`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(expires_at) AS at FROM top_ups WHERE state = 'open' AND expires_at > :now`,
    { now },
  );
  return { due, nextAt: next?.at ?? null };
}
