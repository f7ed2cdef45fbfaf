// The outbox: one row per event, written in the transaction of what happened, read by the fan-out of events.
import { bool, int, text } from '../domain/fields.js';
import { inChunks } from './in-chunks.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

export type SubjectKind = 'build' | 'rental' | 'order' | 'waitlist';

export const events = table('events', {
  seq: int().assigned,
  eventId: text(),
  accountId: int(),
  /** What the event is about. */
  subjectKind: text<SubjectKind>(),
  subjectId: text(),
  eventType: text(),
  sequence: int(),
  occurredAt: int(),
  /** The complete JSON that webhooks send. */
  payload: text(),
  fannedOut: bool().initially(false),
});

export const insertEvent = events.inserter({});

/** Returns the sequence number of the subject's next event, from 1. */
export async function nextSequence(tx: Transaction, subjectId: string): Promise<number> {
  const row = await tx.get<{ last: number | null }>(
    'SELECT MAX(sequence) AS last FROM events WHERE subject_id = :subjectId',
    { subjectId },
  );
  return (row?.last ?? 0) + 1;
}

const keyFields = ['eventId', 'accountId', 'subjectId', 'eventType', 'occurredAt'] as const;
export const eventKeys = events.pick(...keyFields);
const pendingKeys = events.pick('seq', ...keyFields);

/**
 * An event without its payload.
 *
 * @template T the types of events
 */
export type EventKey<T extends string = string> = Selected<typeof eventKeys> & { readonly eventType: T };

/** Whether any event has not been passed on. */
export async function hasPendingEvents(q: Queries): Promise<boolean> {
  return (await q.get('SELECT 1 FROM events WHERE fanned_out = 0 LIMIT 1')) !== undefined;
}

/** Events without deliveries yet, oldest first. */
export function readPendingEvents<T extends string>(
  q: Queries,
  limit: number,
): Promise<(EventKey<T> & { readonly seq: number })[]> {
  const pending = pendingKeys.all(q, 'WHERE fanned_out = 0 ORDER BY seq LIMIT :limit', { limit });
  return pending as Promise<(EventKey<T> & { readonly seq: number })[]>;
}

/** Marks the pending events up to and including `seq` as processed. */
export async function markPassedOn(tx: Transaction, seq: number): Promise<void> {
  await tx.run('UPDATE events SET fanned_out = 1 WHERE fanned_out = 0 AND seq <= :seq', { seq });
}

/** Deletes all events of these subjects. */
export async function deleteEventsOf(tx: Transaction, subjectIds: readonly string[]): Promise<void> {
  for (const { list, params } of inChunks(subjectIds)) {
    await tx.run(`DELETE FROM events WHERE subject_id IN (${list})`, params);
  }
}

/** Deletes up to `limit` old events of an account but those of builds, which are deleted with them. Returns how many. */
export async function purgeEvents(
  tx: Transaction,
  of: { readonly accountId: number; readonly before: number; readonly limit: number },
): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM events WHERE seq IN (
       SELECT seq FROM events
       WHERE account_id = :accountId AND occurred_at <= :before AND subject_kind <> 'build' AND fanned_out = 1
       ORDER BY occurred_at LIMIT :limit)`,
    of,
  );
  return changes;
}
