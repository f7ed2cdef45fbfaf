// Events of the outbox compared with their deliveries: which ones a webhook has missed, and which are still needed.

import { inChunks } from '../../platform/store/in-chunks.js';
import { type EventKey, eventKeys, events as eventRows } from '../../platform/store/outbox.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { EventType } from '../domain/event.js';

/** The order in which events of an account are searched. */
export interface EventPlace {
  readonly occurredAt: number;
  readonly seq: number;
}

const BEHIND = 'account_id = :accountId AND (occurred_at, seq) > (:occurredAt, :seq)';

/**
 * Reads up to `limit` events of the account after the position `after` for which this receiver has no delivery, oldest
 * first.
 *
 * @param examined how many events are read
 * @returns `next`: where the next slice begins; null: there are no more events
 */
export async function readMissedEvents(
  q: Queries,
  missed: {
    readonly accountId: number;
    readonly receiver: string;
    readonly types: readonly EventType[];
    readonly after: EventPlace;
    readonly limit: number;
    readonly examined: number;
  },
): Promise<{ events: EventKey<EventType>[]; next: EventPlace | null }> {
  const { accountId, receiver, types, after, limit, examined } = missed;
  const behind = { accountId, occurredAt: after.occurredAt, seq: after.seq };
  const end = await q.get<EventPlace>(
    `SELECT occurred_at AS "occurredAt", seq FROM events WHERE ${BEHIND}
     ORDER BY occurred_at, seq LIMIT 1 OFFSET :skipped`,
    { ...behind, skipped: examined - 1 },
  );
  const wanted = Object.fromEntries(types.map((type, i) => [`type${i}`, type]));
  const list = Object.keys(wanted).map((name) => `:${name}`);
  const events = await eventKeys.all(
    q,
    `WHERE ${BEHIND} ${end ? 'AND (occurred_at, seq) <= (:endAt, :endSeq)' : ''}
       AND fanned_out = 1 AND event_type IN (${list.join(', ')}) AND NOT EXISTS (SELECT 1 FROM deliveries
         WHERE deliveries.event_id = events.event_id AND deliveries.receiver = :receiver)
     ORDER BY occurred_at, seq LIMIT :limit`,
    { ...behind, ...wanted, receiver, limit, ...(end && { endAt: end.occurredAt, endSeq: end.seq }) },
  );
  return { events: events as EventKey<EventType>[], next: end ?? null };
}

/** Returns which of these builds have an event that is not dispatched yet or has a delivery. */
export async function buildsWithDeliveries(q: Queries, buildIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { list, params } of inChunks(buildIds)) {
    const rows = await q.all<{ subject_id: string }>(
      `SELECT DISTINCT subject_id FROM events WHERE subject_id IN (${list}) AND (fanned_out = 0
         OR EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = events.event_id))`,
      params,
    );
    for (const row of rows) found.add(row.subject_id);
  }
  return found;
}

const ofBuild = eventRows.pick('eventId', 'subjectId', 'eventType', 'sequence', 'occurredAt');
export type BuildEventRow = Selected<typeof ofBuild>;

/** Returns the newest events of a build, oldest first. */
export async function eventsOfBuild(
  q: Queries,
  of: { readonly accountId: number; readonly buildId: string; readonly limit: number },
): Promise<BuildEventRow[]> {
  const newest = await ofBuild.all(
    q,
    'WHERE account_id = :accountId AND subject_id = :buildId ORDER BY sequence DESC LIMIT :limit',
    of,
  );
  return newest.reverse();
}
