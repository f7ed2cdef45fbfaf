// The outbox: one row per event, written in the transaction of what happened.
import type { Transaction } from './sql.js';

export interface EventRow {
  readonly eventId: string;
  readonly accountId: number;
  readonly buildId: string;
  readonly type: string;
  readonly sequence: number;
  readonly occurredAt: number;
  /** JSON, complete: what webhooks send. */
  readonly payload: string;
}

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
