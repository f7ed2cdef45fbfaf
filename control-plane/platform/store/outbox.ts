// The outbox: one row per event, written in the transaction of what happened.

import type { Build, BuildFailure } from '../../builds/domain/build.js';
import type { EventType } from '../../builds/domain/event.js';
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

/** What of a build decides who is told of it, as it is now. */
export type ToldBuild = Pick<
  Build,
  'buildId' | 'accountId' | 'repo' | 'repoUrl' | 'commit' | 'commitSha' | 'notifyUrl' | 'failure'
>;

export interface PendingEvent extends EventKey {
  readonly seq: number;
  /** Null when the build is gone. */
  readonly build: ToldBuild | null;
}

interface PendingRow extends KeyRow {
  seq: number;
  found: string | null;
  repo: string | null;
  repo_url: string | null;
  commit_sha: string | null;
  checked_out_sha: string | null;
  notify_url: string | null;
  failure: string | null;
}

function fromPendingRow(row: PendingRow): PendingEvent {
  const build =
    row.found === null
      ? null
      : {
          buildId: row.build_id,
          accountId: row.account_id,
          repo: row.repo,
          repoUrl: row.repo_url,
          commit: row.commit_sha,
          commitSha: row.checked_out_sha,
          notifyUrl: row.notify_url,
          // Written by this folder alone.
          failure: row.failure === null ? null : (JSON.parse(row.failure) as BuildFailure),
        };
  return { ...fromKeyRow(row), seq: row.seq, build };
}

/** Whether any event has not been passed on. */
export async function hasPendingEvents(q: Queries): Promise<boolean> {
  return (await q.get('SELECT 1 FROM events WHERE fanned_out = 0 LIMIT 1')) !== undefined;
}

/** Events that have not been passed on, oldest first. */
export async function readPendingEvents(q: Queries, limit: number): Promise<PendingEvent[]> {
  const rows = await q.all<PendingRow>(
    `SELECT e.seq, e.event_id, e.account_id, e.build_id, e.event_type, e.occurred_at,
       b.build_id AS found, b.repo, b.repo_url, b.commit_sha, b.checked_out_sha, b.notify_url, b.failure
     FROM events e LEFT JOIN builds b ON b.build_id = e.build_id
     WHERE e.fanned_out = 0 ORDER BY e.seq LIMIT :limit`,
    { limit },
  );
  return rows.map(fromPendingRow);
}

/** Marks the pending events up to and with `seq` as passed on. */
export async function markPassedOn(tx: Transaction, seq: number): Promise<void> {
  await tx.run('UPDATE events SET fanned_out = 1 WHERE fanned_out = 0 AND seq <= :seq', { seq });
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

/**
 * Looks through up to `limit` events behind `after`, oldest first, and removes those older than `before` to which no
 * delivery belongs any more.
 *
 * @returns where to go on, or null when there is nothing older than `before` behind
 */
export async function purgeEvents(
  tx: Transaction,
  { before, after, limit }: { before: number; after: number; limit: number },
): Promise<number | null> {
  const page = await tx.get<{ last: number | null; old: number; n: number }>(
    `SELECT MAX(seq) AS last, COUNT(CASE WHEN occurred_at < :before THEN 1 END) AS old, COUNT(*) AS n
     FROM (SELECT seq, occurred_at FROM events WHERE seq > :after ORDER BY seq LIMIT :limit) AS page`,
    { before, after, limit },
  );
  const last = page?.last ?? null;
  if (!page || last === null || page.old === 0) return null;
  await tx.run(
    `DELETE FROM events WHERE seq > :after AND seq <= :last AND occurred_at < :before AND fanned_out = 1
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.event_id = events.event_id)`,
    { before, after, last },
  );
  return page.n < limit ? null : last;
}
