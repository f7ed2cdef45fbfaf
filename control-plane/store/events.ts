// The outbox: one row per event, written in the transaction of what happened.
import type { EventType } from '../domain/event.js';
import type { Queries, Transaction } from './sql.js';

export interface EventRow {
  readonly eventId: string;
  readonly accountId: number;
  readonly buildId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly occurredAt: number;
  /** JSON, complete: what webhooks send. */
  readonly payload: string;
}

/** An event as whoever passes it on needs it. */
export type EventKey = Pick<EventRow, 'eventId' | 'accountId' | 'buildId' | 'type' | 'occurredAt'>;

interface KeyRow {
  event_id: string;
  account_id: number;
  build_id: string;
  event_type: EventType;
  occurred_at: number;
}

const KEY_COLUMNS = 'event_id, account_id, build_id, event_type, occurred_at';

const fromKeyRow = (row: KeyRow): EventKey => ({
  eventId: row.event_id,
  accountId: row.account_id,
  buildId: row.build_id,
  type: row.event_type,
  occurredAt: row.occurred_at,
});

export async function insertEvent(tx: Transaction, event: EventRow): Promise<void> {
  await tx.run(
    `INSERT INTO events (event_id, account_id, build_id, event_type, sequence, occurred_at, payload)
     VALUES (:eventId, :accountId, :buildId, :type, :sequence, :occurredAt, :payload)`,
    {
      eventId: event.eventId,
      accountId: event.accountId,
      buildId: event.buildId,
      type: event.type,
      sequence: event.sequence,
      occurredAt: event.occurredAt,
      payload: event.payload,
    },
  );
}

/** Events that have not been passed on, oldest first. */
export async function readPendingEvents(q: Queries, limit: number): Promise<EventKey[]> {
  const rows = await q.all<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM events WHERE fanned_out = 0 ORDER BY seq LIMIT :limit`,
    { limit },
  );
  return rows.map(fromKeyRow);
}

export async function markPassedOn(tx: Transaction, eventId: string): Promise<void> {
  await tx.run('UPDATE events SET fanned_out = 1 WHERE event_id = :eventId', { eventId });
}

/** Events of the account since `since` that this receiver was never to get, oldest first. */
export async function readMissedEvents(
  q: Queries,
  {
    types,
    ...missed
  }: {
    accountId: number;
    receiver: string;
    types: readonly EventType[];
    since: number;
    limit: number;
  },
): Promise<EventKey[]> {
  const wanted = Object.fromEntries(types.map((type, i) => [`type${i}`, type]));
  const list = Object.keys(wanted).map((name) => `:${name}`);
  const rows = await q.all<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM events WHERE account_id = :accountId AND occurred_at >= :since AND fanned_out = 1
       AND event_type IN (${list.join(', ')}) AND NOT EXISTS (SELECT 1 FROM deliveries
         WHERE deliveries.event_id = events.event_id AND deliveries.receiver = :receiver)
     ORDER BY occurred_at, seq LIMIT :limit`,
    { ...missed, ...wanted },
  );
  return rows.map(fromKeyRow);
}

/** Removes up to `limit` of the oldest events that are older than `before` and on their way to nobody; says how many. */
export async function purgeEvents(tx: Transaction, before: number, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM events WHERE occurred_at < :before AND fanned_out = 1
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = events.event_id AND status = 'pending')
       AND seq IN (SELECT seq FROM events ORDER BY seq LIMIT :limit)`,
    { before, limit },
  );
  return changes;
}
