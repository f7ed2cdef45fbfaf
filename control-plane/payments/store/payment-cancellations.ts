// Money that is to go back, or has.

import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import type { Cancellation, CancellationStatus } from '../domain/cancellation.js';

interface Row {
  cancellation_id: string;
  order_no: string;
  account_id: number;
  amount_won: number | null;
  reason: string;
  status: CancellationStatus;
  provider_ref: string | null;
  last_error: string | null;
  attempts: number;
  refusals: number;
  next_attempt_at: number | null;
  created_at: number;
  ended_at: number | null;
}

const toCancellation = (row: Row): Cancellation => ({
  cancellationId: row.cancellation_id,
  orderNo: row.order_no,
  accountId: row.account_id,
  amountWon: row.amount_won,
  reason: row.reason,
  status: row.status,
  providerRef: row.provider_ref,
  lastError: row.last_error,
  attempts: row.attempts,
  refusals: row.refusals,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});

/** Due at once. */
export async function insertCancellation(
  tx: Transaction,
  c: Pick<Cancellation, 'cancellationId' | 'orderNo' | 'accountId' | 'amountWon' | 'reason'> & {
    now: number;
  },
): Promise<void> {
  await tx.run(
    `INSERT INTO payment_cancellations
       (cancellation_id, order_no, account_id, amount_won, reason, status, next_attempt_at, created_at)
     VALUES (:cancellationId, :orderNo, :accountId, :amountWon, :reason, 'open', :now, :now)`,
    c,
  );
}

export async function readCancellations(q: Queries, orderNo: string): Promise<Cancellation[]> {
  const rows = await q.all<Row>(
    'SELECT * FROM payment_cancellations WHERE order_no = :orderNo ORDER BY created_at, cancellation_id',
    { orderNo },
  );
  return rows.map(toCancellation);
}

/** Those to see to now, longest due first, and when the next one is due. */
export async function readDueCancellations(
  q: Queries,
  now: number,
  limit: number,
): Promise<{ due: Cancellation[]; nextAt: number | null }> {
  const due = await q.all<Row>(
    `SELECT * FROM payment_cancellations WHERE next_attempt_at <= :now
     ORDER BY next_attempt_at, cancellation_id LIMIT :limit`,
    { now, limit },
  );
  const next = await q.get<{ at: number | null }>(
    'SELECT MIN(next_attempt_at) AS at FROM payment_cancellations WHERE next_attempt_at > :now',
    { now },
  );
  return { due: due.map(toCancellation), nextAt: next?.at ?? null };
}

/** Something may have happened to them at the provider: see to them now. */
export async function expediteCancellations(tx: Transaction, orderNo: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE payment_cancellations SET next_attempt_at = :now
     WHERE order_no = :orderNo AND next_attempt_at IS NOT NULL`,
    { orderNo, now },
  );
}

const CHANGE_COLUMNS = {
  status: 'status',
  providerRef: 'provider_ref',
  lastError: 'last_error',
  attempts: 'attempts',
  refusals: 'refusals',
  nextAttemptAt: 'next_attempt_at',
  endedAt: 'ended_at',
} as const;

export type CancellationChanges = Partial<Pick<Cancellation, keyof typeof CHANGE_COLUMNS>>;

/** False when it has ended, or another try has been made since it was seen: then nothing was written. */
export async function changeCancellation(
  tx: Transaction,
  seen: Pick<Cancellation, 'cancellationId' | 'attempts' | 'refusals'>,
  changes: CancellationChanges,
): Promise<boolean> {
  const params: Record<string, SqlValue> = {
    cancellationId: seen.cancellationId,
    seenAttempts: seen.attempts,
    seenRefusals: seen.refusals,
  };
  const set = (Object.keys(changes) as (keyof CancellationChanges)[]).map((name) => {
    params[name] = changes[name] ?? null;
    return `${CHANGE_COLUMNS[name]} = :${name}`;
  });
  const { changes: rows } = await tx.run(
    `UPDATE payment_cancellations SET ${set.join(', ')} WHERE cancellation_id = :cancellationId
       AND status = 'open' AND attempts = :seenAttempts AND refusals = :seenRefusals`,
    params,
  );
  return rows === 1;
}
