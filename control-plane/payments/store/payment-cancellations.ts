// Money that is to go back, or has.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type Cancellation, cancellationFields } from '../domain/cancellation.js';

export const cancellations = table('payment_cancellations', cancellationFields);

/** Due at once. */
export async function insertCancellation(
  tx: Transaction,
  {
    now,
    ...given
  }: Pick<Cancellation, 'cancellationId' | 'orderNo' | 'accountId' | 'amountWon' | 'creditMicroUsd' | 'reason'> & {
    now: number;
  },
): Promise<void> {
  await cancellations.insert(tx, { ...given, nextAttemptAt: now, createdAt: now });
}

export function findCancellation(q: Queries, cancellationId: string): Promise<Cancellation | null> {
  return cancellations.get(q, 'WHERE cancellation_id = :cancellationId', { cancellationId });
}

/** Those that are not done, refused for good or void. */
export function readOpenCancellations(q: Queries, orderNo: string): Promise<Cancellation[]> {
  return cancellations.all(q, `WHERE order_no = :orderNo AND status = 'open'`, { orderNo });
}

/** The ones due now, longest due first, and when the next one is due. */
export async function readDueCancellations(
  q: Queries,
  now: number,
  limit: number,
): Promise<{ due: Cancellation[]; nextAt: number | null }> {
  const due = await cancellations.all(
    q,
    'WHERE next_attempt_at <= :now ORDER BY next_attempt_at, cancellation_id LIMIT :limit',
    { now, limit },
  );
  const next = await q.get<{ at: number | null }>(
    'SELECT MIN(next_attempt_at) AS at FROM payment_cancellations WHERE next_attempt_at > :now',
    { now },
  );
  return { due, nextAt: next?.at ?? null };
}

/** Makes the cancellations due now. */
export async function expediteCancellations(tx: Transaction, orderNo: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE payment_cancellations SET next_attempt_at = :now
     WHERE order_no = :orderNo AND next_attempt_at IS NOT NULL`,
    { orderNo, now },
  );
}

export type CancellationChanges = Partial<
  Pick<Cancellation, 'status' | 'providerRef' | 'lastError' | 'attempts' | 'refusals' | 'nextAttemptAt' | 'endedAt'>
>;

/** False, without writing, when it has ended or another attempt has been made since it was read. */
export async function changeCancellation(
  tx: Transaction,
  seen: Pick<Cancellation, 'cancellationId' | 'attempts' | 'refusals'>,
  changes: CancellationChanges,
): Promise<boolean> {
  const { cancellationId, attempts, refusals } = seen;
  const changed = await cancellations.update(tx, { cancellationId, status: 'open', attempts, refusals }, changes);
  return changed === 1;
}
