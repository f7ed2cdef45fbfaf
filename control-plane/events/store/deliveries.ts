// Deliveries as their owner sees them: one row per event and receiver.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Delivery, DeliveryStatus } from '../domain/delivery.js';

interface Row {
  seq: number;
  delivery_id: string;
  event_id: string;
  event_type: string;
  status: DeliveryStatus;
  attempt: number;
  due_at: number | null;
  claimed: number;
  http_status: number | null;
  error: string | null;
  request: string | null;
  response: string | null;
  created_at: number;
  delivered_at: number | null;
  payload: string | null;
}

/** What is kept of an attempt; a body that is the event's payload is not written a second time. */
interface KeptExchange {
  headers: Record<string, string>;
  body: string | null;
}

function fromRow(row: Row): Delivery {
  const kept = (text: string | null) => {
    // Written by this folder alone.
    const exchange = text === null ? null : (JSON.parse(text) as KeptExchange);
    return exchange && { headers: exchange.headers, body: exchange.body ?? row.payload ?? '' };
  };
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attempt: row.attempt,
    httpStatus: row.http_status,
    error: row.error,
    request: kept(row.request),
    response: kept(row.response),
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
    nextAttemptAt: row.claimed === 1 ? null : row.due_at,
  };
}

const SELECT = 'SELECT d.*, e.payload FROM deliveries d LEFT JOIN events e ON e.event_id = d.event_id';

/** Newest first; `beforeSeq` null begins with the newest. */
export async function listDeliveries(
  q: Queries,
  receiver: string,
  page: { status: DeliveryStatus | null; beforeSeq: number | null; limit: number },
): Promise<Delivery[]> {
  const rows = await q.all<Row>(
    `${SELECT} WHERE d.receiver = :receiver AND (:beforeSeq IS NULL OR d.seq < :beforeSeq)
       AND (:status IS NULL OR d.status = :status) ORDER BY d.seq DESC LIMIT :limit`,
    { receiver, ...page },
  );
  return rows.map(fromRow);
}

export async function findDelivery(
  q: Queries,
  receiver: string,
  deliveryId: string,
): Promise<{ delivery: Delivery; seq: number } | null> {
  const row = await q.get<Row>(`${SELECT} WHERE d.delivery_id = :deliveryId AND d.receiver = :receiver`, {
    deliveryId,
    receiver,
  });
  return row ? { delivery: fromRow(row), seq: row.seq } : null;
}

export interface NewDelivery {
  readonly deliveryId: string;
  readonly accountId: number;
  /** Id of a webhook, or of a build whose notify_url it is. */
  readonly receiver: string;
  readonly lane: string;
  readonly buildId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly now: number;
}

/** Due at once, unless an earlier event of the build has not been tried yet at this receiver. */
export async function insertDelivery(tx: Transaction, delivery: NewDelivery): Promise<void> {
  await tx.run(
    `INSERT INTO deliveries (delivery_id, account_id, receiver, lane, build_id, event_id, event_type, status,
       due_at, created_at)
     VALUES (:deliveryId, :accountId, :receiver, :lane, :buildId, :eventId, :eventType, 'pending',
       CASE WHEN EXISTS (SELECT 1 FROM deliveries
         WHERE receiver = :receiver AND build_id = :buildId AND status = 'pending' AND tries = 0) THEN NULL ELSE :now END, :now)
     ON CONFLICT (event_id, receiver) DO NOTHING`,
    { ...delivery },
  );
}

/** Starts deliveries that have ended anew; `startNext` makes the first of each build due. */
export async function startAgain(
  tx: Transaction,
  receiver: string,
  which: { deliveryId: string } | { since: number; status: DeliveryStatus | null; limit: number },
): Promise<number> {
  const again = `UPDATE deliveries SET status = 'pending', tries = 0, due_at = NULL, delivered_at = NULL
    WHERE receiver = :receiver AND status <> 'pending'`;
  const { changes } =
    'deliveryId' in which
      ? await tx.run(`${again} AND delivery_id = :deliveryId`, { receiver, ...which })
      : await tx.run(
          `${again} AND seq IN (SELECT seq FROM deliveries WHERE receiver = :receiver AND status <> 'pending'
             AND created_at >= :since AND (:status IS NULL OR status = :status) ORDER BY seq LIMIT :limit)`,
          { receiver, ...which },
        );
  return changes;
}

/** Makes the first untried delivery of each build due. */
export async function startNext(tx: Transaction, receiver: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET due_at = :now WHERE receiver = :receiver AND status = 'pending' AND due_at IS NULL
       AND seq IN (SELECT MIN(seq) FROM deliveries WHERE receiver = :receiver AND status = 'pending'
         AND tries = 0 GROUP BY build_id)`,
    { receiver, now },
  );
}

/** Gives up what is still on its way to a receiver. */
export async function giveUpDeliveries(tx: Transaction, receiver: string, error: string): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET status = 'failed', due_at = NULL, claimed = 0, error = :error
     WHERE receiver = :receiver AND status = 'pending'`,
    { receiver, error },
  );
}

/** Has the receiver of a build said that it wants nothing any more? */
export async function hasSaidGone(q: Queries, receiver: string): Promise<boolean> {
  const row = await q.get('SELECT 1 FROM deliveries WHERE receiver = :receiver AND http_status = 410', {
    receiver,
  });
  return row !== undefined;
}

/** Removes up to `limit` ended deliveries that are older than `before`, oldest first; says how many. */
export async function purgeDeliveries(tx: Transaction, before: number, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM deliveries WHERE created_at < :before AND status <> 'pending'
       AND seq IN (SELECT seq FROM deliveries ORDER BY seq LIMIT :limit)`,
    { before, limit },
  );
  return changes;
}
