// Deliveries as their owner sees them: one row per event and receiver.

import type { Message } from '../../../shared/messages/message.js';
import { bool, int, json, text } from '../../platform/domain/fields.js';
import { storedError, storedMessage } from '../../platform/domain/stored-message.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import type { Delivery, DeliveryStatus } from '../domain/delivery.js';

/** What is kept of an attempt; a body that is the event's payload (null) is not written a second time. */
export interface KeptExchange {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export const deliveries = table('deliveries', {
  seq: int().assigned,
  deliveryId: text(),
  accountId: int(),
  /** Id of a webhook, or of a build whose notify_url it is. */
  receiver: text(),
  windowKey: text(),
  /** What the event is about. */
  subjectId: text(),
  eventId: text(),
  eventType: text(),
  status: text<DeliveryStatus>().initially('pending'),
  /** Attempts so far, in total and since the last redelivery. */
  attempt: int().initially(0),
  tries: int().initially(0),
  /** Null: no attempt is planned, or an earlier event of its subject must be attempted first. */
  dueAt: int().orNull,
  /** Under way until `dueAt`. */
  claimed: bool().initially(false),
  httpStatus: int().orNull.initially(null),
  errorMessage: storedMessage().orNull.initially(null),
  /** Of older versions. */
  error: text().orNull.initially(null),
  request: json<KeptExchange>().orNull.initially(null),
  response: json<KeptExchange>().orNull.initially(null),
  createdAt: int(),
  deliveredAt: int().orNull.initially(null),
});

const withPayload = deliveries.and({ payload: ['e.payload', text().orNull] });

function toDelivery(row: Selected<typeof withPayload>): Delivery {
  const whole = (kept: KeptExchange | null) => kept && { headers: kept.headers, body: kept.body ?? row.payload ?? '' };
  return {
    ...row,
    error: storedError(row),
    request: whole(row.request),
    response: whole(row.response),
    nextAttemptAt: row.claimed ? null : row.dueAt,
  };
}

const WITH_EVENT = 'LEFT JOIN events e ON e.event_id = deliveries.event_id';

/** Position of a delivery in the order of creation. */
export interface DeliveryPlace {
  readonly createdAt: number;
  readonly seq: number;
}

/** Newest first; with `before` null from the newest. */
export async function listDeliveries(
  q: Queries,
  receiver: string,
  { status, before, limit }: { status: DeliveryStatus | null; before: DeliveryPlace | null; limit: number },
): Promise<Delivery[]> {
  const rows = await withPayload.all(
    q,
    `${WITH_EVENT} WHERE receiver = :receiver ${status === null ? '' : 'AND status = :status'}
       ${before === null ? '' : 'AND (deliveries.created_at, deliveries.seq) < (:createdAt, :seq)'}
     ORDER BY deliveries.created_at DESC, deliveries.seq DESC LIMIT :limit`,
    {
      receiver,
      limit,
      ...(status && { status }),
      ...(before && { createdAt: before.createdAt, seq: before.seq }),
    },
  );
  return rows.map(toDelivery);
}

export async function findDelivery(
  q: Queries,
  receiver: string,
  deliveryId: string,
): Promise<(DeliveryPlace & { delivery: Delivery }) | null> {
  const row = await withPayload.get(q, `${WITH_EVENT} WHERE delivery_id = :deliveryId AND receiver = :receiver`, {
    deliveryId,
    receiver,
  });
  return row && { delivery: toDelivery(row), createdAt: row.createdAt, seq: row.seq };
}

const ofEvent = deliveries.pick(
  ...(['deliveryId', 'receiver', 'eventId', 'status', 'attempt', 'claimed', 'dueAt'] as const),
  ...(['httpStatus', 'error', 'errorMessage', 'deliveredAt'] as const),
);
export type EventDelivery = Omit<Selected<typeof ofEvent>, 'error' | 'errorMessage'> & Pick<Delivery, 'error'>;

/** Returns the deliveries of each event, oldest first. */
export async function deliveriesOfEvents(
  q: Queries,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EventDelivery[]>> {
  const found = new Map<string, EventDelivery[]>();
  for (const { list, params } of inChunks(eventIds)) {
    for (const row of await ofEvent.all(q, `WHERE event_id IN (${list}) ORDER BY seq`, params)) {
      found.set(row.eventId, [...(found.get(row.eventId) ?? []), { ...row, error: storedError(row) }]);
    }
  }
  return found;
}

/** Due at once, unless an earlier event of the same subject has not been attempted yet at this receiver. */
export const insertDelivery = deliveries.inserter<'dueAt'>({
  computed: {
    dueAt: `CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE receiver = :receiver AND subject_id = :subjectId
      AND status = 'pending' AND tries = 0) THEN NULL ELSE :createdAt END`,
  },
  onConflict: 'ON CONFLICT (event_id, receiver) DO NOTHING',
});

const AGAIN = "UPDATE deliveries SET status = 'pending', tries = 0, due_at = NULL, delivered_at = NULL";

/** Restarts a delivery that has ended; `startNext` makes the first of each subject due. */
export async function startAgain(tx: Transaction, receiver: string, deliveryId: string): Promise<void> {
  await tx.run(`${AGAIN} WHERE receiver = :receiver AND status <> 'pending' AND delivery_id = :deliveryId`, {
    receiver,
    deliveryId,
  });
}

export interface EndedSlice {
  readonly after: DeliveryPlace;
  readonly status: DeliveryStatus | null;
  readonly limit: number;
}

/**
 * Restarts deliveries that have ended, oldest first; `startNext` makes the first of each subject due.
 *
 * @returns how many, and after which the next ones come: null if there are no more
 */
export async function startAgainAfter(
  tx: Transaction,
  receiver: string,
  { after, status, limit }: EndedSlice,
): Promise<{ readonly count: number; readonly next: DeliveryPlace | null }> {
  const ended = await tx.all<{ seq: number; created_at: number }>(
    `SELECT seq, created_at FROM deliveries WHERE receiver = :receiver AND status <> 'pending'
       AND (created_at, seq) > (:createdAt, :seq) ${status === null ? '' : 'AND status = :status'}
     ORDER BY created_at, seq LIMIT :limit`,
    { receiver, createdAt: after.createdAt, seq: after.seq, limit, ...(status && { status }) },
  );
  for (const { list, params } of inChunks(ended.map(({ seq }) => seq))) {
    await tx.run(`${AGAIN} WHERE seq IN (${list})`, params);
  }
  const last = ended.at(-1);
  const next = last && ended.length === limit ? { createdAt: last.created_at, seq: last.seq } : null;
  return { count: ended.length, next };
}

/** Makes the first unattempted delivery of each subject due. */
export async function startNext(tx: Transaction, receiver: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET due_at = :now WHERE receiver = :receiver AND status = 'pending' AND due_at IS NULL
       AND seq IN (SELECT MIN(seq) FROM deliveries WHERE receiver = :receiver AND status = 'pending'
         AND tries = 0 GROUP BY subject_id)`,
    { receiver, now },
  );
}

/** Drops the pending deliveries of a receiver. */
export async function giveUpDeliveries(tx: Transaction, receiver: string, error: Message): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET status = 'failed', due_at = NULL, claimed = 0, error = NULL, error_message = :error
     WHERE receiver = :receiver AND status = 'pending'`,
    { receiver, error: JSON.stringify(error) },
  );
}

/** Whether the receiver of a build has answered 410. */
export async function hasSaidGone(q: Queries, receiver: string): Promise<boolean> {
  const row = await q.get('SELECT 1 FROM deliveries WHERE receiver = :receiver AND http_status = 410 LIMIT 1', {
    receiver,
  });
  return row !== undefined;
}

/** Deletes old deliveries that are no longer pending. */
export const purgeDeliveries = purgeOf('deliveries', {
  key: 'seq',
  expired: `status <> 'pending' AND created_at < :before`,
  by: 'created_at',
});
