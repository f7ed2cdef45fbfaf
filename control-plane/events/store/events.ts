// Events of the outbox beside their deliveries: those that a webhook has missed, and those that nothing needs any more.

import type { EventType } from '../../builds/domain/event.js';
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

/**
 * Reads up to `limit` events behind `after`, oldest first.
 *
 * @returns the `seq` of those that were passed on before `before` and have no delivery any more, and where to go on:
 *   null when nothing older than `before` follows
 */
export async function readUnneededEvents(
  q: Queries,
  { before, after, limit }: { before: number; after: number; limit: number },
): Promise<{ seqs: number[]; next: number | null }> {
  const page = await q.all<{ seq: number; old: number; unneeded: number }>(
    `SELECT seq, occurred_at < :before AS old, occurred_at < :before AND fanned_out = 1 AND NOT EXISTS (
         SELECT 1 FROM deliveries WHERE deliveries.event_id = events.event_id) AS unneeded
     FROM events WHERE seq > :after ORDER BY seq LIMIT :limit`,
    { before, after, limit },
  );
  const last = page.at(-1);
  const seqs = page.filter(({ unneeded }) => unneeded === 1).map(({ seq }) => seq);
  const isLast = page.length < limit || !page.some(({ old }) => old === 1);
  return { seqs, next: last === undefined || isLast ? null : last.seq };
}
