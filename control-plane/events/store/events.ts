// Events of the outbox beside their deliveries: those that a webhook has missed, and those that are needed.

import type { EventType } from '../../builds/domain/event.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { type EventKey, eventKeys } from '../../platform/store/outbox.js';
import type { Queries } from '../../platform/store/sql.js';

/** Events of the account since `since` for which this receiver has no delivery, oldest first. */
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
): Promise<EventKey<EventType>[]> {
  const wanted = Object.fromEntries(types.map((type, i) => [`type${i}`, type]));
  const list = Object.keys(wanted).map((name) => `:${name}`);
  const missedEvents = await eventKeys.all(
    q,
    `WHERE account_id = :accountId AND occurred_at >= :since AND fanned_out = 1
       AND event_type IN (${list.join(', ')}) AND NOT EXISTS (SELECT 1 FROM deliveries
         WHERE deliveries.event_id = events.event_id AND deliveries.receiver = :receiver)
     ORDER BY occurred_at, seq LIMIT :limit`,
    { ...missed, ...wanted },
  );
  return missedEvents as EventKey<EventType>[];
}

/** Which of these builds have an event that has not been passed on, or that has a delivery. */
export async function buildsWithDeliveries(q: Queries, buildIds: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { list, params } of inChunks(buildIds)) {
    const rows = await q.all<{ build_id: string }>(
      `SELECT DISTINCT build_id FROM events WHERE build_id IN (${list}) AND (fanned_out = 0
         OR EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = events.event_id))`,
      params,
    );
    for (const row of rows) found.add(row.build_id);
  }
  return found;
}
