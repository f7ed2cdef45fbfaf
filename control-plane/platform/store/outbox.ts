// The outbox: one row per event, written in the transaction of what happened, read by what passes events on.
import { inChunks } from './in-chunks.js';
import type { Queries, Transaction } from './sql.js';

/** @template T the types of events */
export interface EventRow<T extends string = string> {
  readonly eventId: string;
  readonly accountId: number;
  readonly buildId: string;
  readonly type: T;
  readonly sequence: number;
  readonly occurredAt: number;
  /** JSON, complete: what webhooks send. */
  readonly payload: string;
}

/** An event without its payload. */
export type EventKey<T extends string = string> = Pick<
  EventRow<T>,
  'eventId' | 'accountId' | 'buildId' | 'type' | 'occurredAt'
>;

export interface EventKeyRow<T extends string = string> {
  event_id: string;
  account_id: number;
  build_id: string;
  event_type: T;
  occurred_at: number;
}

export const EVENT_KEY_COLUMNS = 'event_id, account_id, build_id, event_type, occurred_at';

export const toEventKey = <T extends string>(row: EventKeyRow<T>): EventKey<T> => ({
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
    { ...event },
  );
}

/** Whether any event has not been passed on. */
export async function hasPendingEvents(q: Queries): Promise<boolean> {
  return (await q.get('SELECT 1 FROM events WHERE fanned_out = 0 LIMIT 1')) !== undefined;
}

/** Events that have not been passed on, oldest first. */
export async function readPendingEvents<T extends string>(
  q: Queries,
  limit: number,
): Promise<(EventKey<T> & { readonly seq: number })[]> {
  const rows = await q.all<EventKeyRow<T> & { seq: number }>(
    `SELECT seq, ${EVENT_KEY_COLUMNS} FROM events WHERE fanned_out = 0 ORDER BY seq LIMIT :limit`,
    { limit },
  );
  return rows.map((row) => ({ ...toEventKey(row), seq: row.seq }));
}

/** Marks the pending events up to and including `seq` as passed on. */
export async function markPassedOn(tx: Transaction, seq: number): Promise<void> {
  await tx.run('UPDATE events SET fanned_out = 1 WHERE fanned_out = 0 AND seq <= :seq', { seq });
}

/** Removes events by their `seq`. */
export async function deleteEvents(tx: Transaction, seqs: readonly number[]): Promise<void> {
  for (const { list, params } of inChunks(seqs)) {
    await tx.run(`DELETE FROM events WHERE seq IN (${list})`, params);
  }
}
