// Deliveries that are due: claimed by one process for a while, and what came of it. A process that dies leaves its
// claims to run out.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Exchange, Verdict } from '../domain/delivery.js';

export interface ClaimedDelivery {
  readonly seq: number;
  readonly deliveryId: string;
  readonly accountId: number;
  readonly receiver: string;
  readonly lane: string;
  readonly buildId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Attempts so far, in all and in this round. */
  readonly attempt: number;
  readonly tries: number;
  /** JSON of the event. */
  readonly payload: string;
}

interface Row {
  seq: number;
  delivery_id: string;
  account_id: number;
  receiver: string;
  lane: string;
  build_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  tries: number;
  payload: string;
}

/** Lanes in which something is due. */
export async function readDueLanes(q: Queries, now: number): Promise<string[]> {
  // One look into the index for each lane, however many deliveries wait in it.
  const rows = await q.all<{ lane: string }>(
    `WITH RECURSIVE lanes (lane) AS (
       SELECT MIN(lane) FROM deliveries WHERE status = 'pending' AND due_at IS NOT NULL
       UNION ALL
       SELECT (SELECT MIN(d.lane) FROM deliveries d
         WHERE d.status = 'pending' AND d.due_at IS NOT NULL AND d.lane > lanes.lane)
       FROM lanes WHERE lanes.lane IS NOT NULL)
     SELECT lane FROM lanes WHERE lane IS NOT NULL AND EXISTS (SELECT 1 FROM deliveries d
       WHERE d.lane = lanes.lane AND d.status = 'pending' AND d.due_at IS NOT NULL AND d.due_at <= :now)`,
    { now },
  );
  return rows.map(({ lane }) => lane);
}

/** When the next delivery falls due after `now`, or the next claim runs out. */
export async function nextDueAt(q: Queries, now: number): Promise<number | null> {
  const row = await q.get<{ at: number | null }>(
    `SELECT MIN(due_at) AS at FROM deliveries WHERE status = 'pending' AND due_at IS NOT NULL AND due_at > :now`,
    { now },
  );
  return row?.at ?? null;
}

/** Claims up to `limit` due deliveries of a lane, but none in `skip`. */
export async function claimDue(
  tx: Transaction,
  lane: string,
  claim: { now: number; until: number; limit: number; skip: ReadonlySet<string> },
): Promise<ClaimedDelivery[]> {
  const rows = await tx.all<Row>(
    `SELECT d.seq, d.delivery_id, d.account_id, d.receiver, d.lane, d.build_id, d.event_id, d.event_type, d.attempt,
       d.tries, e.payload
     FROM deliveries d JOIN events e ON e.event_id = d.event_id
     WHERE d.lane = :lane AND d.status = 'pending' AND d.due_at IS NOT NULL AND d.due_at <= :now
     ORDER BY d.due_at, d.seq LIMIT :limit`,
    { lane, now: claim.now, limit: claim.limit + claim.skip.size },
  );
  const claimed = rows.filter((row) => !claim.skip.has(row.delivery_id)).slice(0, claim.limit);
  for (const { seq } of claimed) {
    await tx.run('UPDATE deliveries SET due_at = :until, claimed = 1 WHERE seq = :seq', {
      seq,
      until: claim.until,
    });
  }
  return claimed.map((row) => ({
    seq: row.seq,
    deliveryId: row.delivery_id,
    accountId: row.account_id,
    receiver: row.receiver,
    lane: row.lane,
    buildId: row.build_id,
    eventId: row.event_id,
    eventType: row.event_type,
    attempt: row.attempt,
    tries: row.tries,
    payload: row.payload,
  }));
}

/** Gives a claim back: nothing was sent. */
export async function releaseClaim(tx: Transaction, claimed: ClaimedDelivery, now: number): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET due_at = :now, claimed = 0
     WHERE seq = :seq AND attempt = :attempt AND status = 'pending'`,
    { now, seq: claimed.seq, attempt: claimed.attempt },
  );
}

/**
 * Writes what came of an attempt, and makes the build's next untried delivery to this receiver due: a later event waits
 * for the first attempt of the earlier ones, not for their retries.
 * Nothing is written when another process has written an attempt of it meanwhile.
 */
export async function settleClaim(
  tx: Transaction,
  claimed: ClaimedDelivery,
  result: { verdict: Verdict; request: Exchange | null; response: Exchange | null; now: number },
): Promise<boolean> {
  const { verdict, request, response, now } = result;
  const kept = request && { ...request, body: request.body === claimed.payload ? null : request.body };
  const { changes } = await tx.run(
    `UPDATE deliveries SET status = :status, attempt = attempt + 1, tries = tries + 1, due_at = :dueAt, claimed = 0,
       http_status = :httpStatus, error = :error, request = COALESCE(:request, request), response = :response,
       delivered_at = :deliveredAt
     WHERE seq = :seq AND attempt = :attempt`,
    {
      seq: claimed.seq,
      attempt: claimed.attempt,
      status: verdict.status,
      dueAt: verdict.retryInMs === null ? null : now + verdict.retryInMs,
      httpStatus: verdict.httpStatus,
      error: verdict.error,
      request: kept && JSON.stringify(kept),
      response: response && JSON.stringify(response),
      deliveredAt: verdict.status === 'delivered' ? now : null,
    },
  );
  if (changes === 0) return false;
  await tx.run(
    `UPDATE deliveries SET due_at = :now WHERE due_at IS NULL AND seq = (SELECT MIN(seq) FROM deliveries
       WHERE receiver = :receiver AND build_id = :buildId AND status = 'pending' AND tries = 0)`,
    { now, receiver: claimed.receiver, buildId: claimed.buildId },
  );
  return true;
}
