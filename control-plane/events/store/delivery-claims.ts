// Claims of due deliveries, each by one process for a while, and the results of the attempts. The claims of a process
// that died run out.

import { text } from '../../platform/domain/fields.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { Exchange, Verdict } from '../domain/delivery.js';
import { deliveries } from './deliveries.js';

const claimable = deliveries
  .pick(
    ...(['seq', 'deliveryId', 'accountId', 'receiver', 'windowKey'] as const),
    ...(['subjectId', 'eventId', 'eventType'] as const),
    ...(['attempt', 'tries'] as const),
  )
  .and({ payload: ['e.payload', text()] });
export type ClaimedDelivery = Selected<typeof claimable>;

/** Receivers with due deliveries. */
export async function readDueWindows(q: Queries, now: number): Promise<string[]> {
  // One index lookup for each window, independent of the number of deliveries waiting in it.
  const rows = await q.all<{ window_key: string }>(
    `WITH RECURSIVE window_keys (window_key) AS (
       SELECT MIN(window_key) FROM deliveries WHERE status = 'pending' AND due_at IS NOT NULL
       UNION ALL
       SELECT (SELECT MIN(d.window_key) FROM deliveries d
         WHERE d.status = 'pending' AND d.due_at IS NOT NULL AND d.window_key > window_keys.window_key)
       FROM window_keys WHERE window_keys.window_key IS NOT NULL)
     SELECT window_key FROM window_keys WHERE window_key IS NOT NULL AND EXISTS (SELECT 1 FROM deliveries d
       WHERE d.window_key = window_keys.window_key AND d.status = 'pending' AND d.due_at IS NOT NULL AND d.due_at <= :now)`,
    { now },
  );
  return rows.map(({ window_key }) => window_key);
}

/** When the next delivery is due after `now`, or the next claim runs out. */
export const nextDueAt = (q: Queries, now: number): Promise<number | null> =>
  readNumber(
    q,
    `SELECT MIN(due_at) AS at FROM deliveries WHERE status = 'pending' AND due_at IS NOT NULL AND due_at > :now`,
    { now },
  );

/** Claims up to `limit` due deliveries of a receiver, except those in `skip`. */
export async function claimDue(
  tx: Transaction,
  windowKey: string,
  claim: { now: number; until: number; limit: number; skip: ReadonlySet<string> },
): Promise<ClaimedDelivery[]> {
  const found = await claimable.all(
    tx,
    `JOIN events e ON e.event_id = deliveries.event_id
     WHERE window_key = :windowKey AND status = 'pending' AND due_at IS NOT NULL AND due_at <= :now
     ORDER BY due_at, deliveries.seq LIMIT :limit`,
    { windowKey, now: claim.now, limit: claim.limit + claim.skip.size },
  );
  const claimed = found.filter(({ deliveryId }) => !claim.skip.has(deliveryId)).slice(0, claim.limit);
  for (const { seq } of claimed) await deliveries.update(tx, { seq }, { dueAt: claim.until, claimed: true });
  return claimed;
}

/** Returns a claim when nothing was sent. */
export async function releaseClaim(tx: Transaction, { seq, attempt }: ClaimedDelivery, now: number): Promise<void> {
  await deliveries.update(tx, { seq, attempt, status: 'pending' }, { dueAt: now, claimed: false });
}

/**
 * Writes what came of an attempt, and makes the subject's next untried delivery to this receiver due: a later event waits
 * for the first attempt of the earlier ones, not for their retries.
 * Nothing is written when another process has written an attempt in between.
 */
export async function settleClaim(
  tx: Transaction,
  claimed: ClaimedDelivery,
  result: { verdict: Verdict; request: Exchange | null; response: Exchange | null; now: number },
): Promise<boolean> {
  const { verdict, request, response, now } = result;
  const kept = request && { ...request, body: request.body === claimed.payload ? null : request.body };
  const settled = await deliveries.change(
    tx,
    { seq: claimed.seq, attempt: claimed.attempt },
    {
      claimed: false,
      status: verdict.status,
      dueAt: verdict.retryInMs === null ? null : now + verdict.retryInMs,
      httpStatus: verdict.httpStatus,
      error: null,
      errorMessage: verdict.error,
      ...(kept && { request: kept }),
      response,
      deliveredAt: verdict.status === 'delivered' ? now : null,
    },
    { attempt: 1, tries: 1 },
  );
  if (!settled) return false;
  await tx.run(
    `UPDATE deliveries SET due_at = :now WHERE due_at IS NULL AND seq = (SELECT MIN(seq) FROM deliveries
       WHERE receiver = :receiver AND subject_id = :subjectId AND status = 'pending' AND tries = 0)`,
    { now, receiver: claimed.receiver, subjectId: claimed.subjectId },
  );
  return true;
}
