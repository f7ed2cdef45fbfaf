// Writes the events of rentals, orders and the waitlist, in the transaction of what happened.
import type { Clock } from '../../../shared/clock.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { newId } from '../../platform/domain/ids.js';
import { insertEvent, nextSequence } from '../../platform/store/outbox.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { OrderEventType, RentalEventType, RentingEventType } from '../domain/event.js';
import { type EventSubject, orderSubject, rentalSubject, waitlistSubject } from '../domain/event-payload.js';
import type { Order } from '../domain/order.js';
import type { WaitlistEntry } from '../domain/waitlist.js';
import { readOrderDetails } from '../store/orders.js';
import { findLiveRental } from './rentals.js';

export interface RentingEventDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly wake: Pick<Wake, 'wake'>;
  readonly site: SiteAddresses;
}

/** Must be called before the rental ends, because the event describes the rental as it is in the transaction. */
export async function recordRentalEvent(
  tx: Transaction,
  deps: RentingEventDeps,
  type: RentalEventType,
  rentalId: string,
): Promise<void> {
  const rental = await findLiveRental(tx, rentalId);
  if (!rental) throw new Error(`${type}: the rental ${rentalId} has ended`);
  await record(tx, deps, rentalSubject(type, rental));
}

export async function recordOrderEvent(
  tx: Transaction,
  deps: RentingEventDeps,
  type: OrderEventType,
  order: Order,
): Promise<void> {
  const detail = (await readOrderDetails(tx, [order])).get(order.orderNo);
  if (!detail) throw new Error(`${type}: the order ${order.orderNo} was not read`);
  await record(tx, deps, orderSubject(type, order, detail, deps.site));
}

export async function recordAvailable(
  tx: Transaction,
  deps: RentingEventDeps,
  entry: Pick<WaitlistEntry, 'entryId' | 'accountId' | 'tier' | 'units' | 'createdAt'>,
): Promise<void> {
  await record(tx, deps, waitlistSubject('waitlist.available', entry));
}

async function record(
  tx: Transaction,
  deps: RentingEventDeps,
  { type, accountId, subjectKind, subjectId, part }: EventSubject<RentingEventType>,
): Promise<void> {
  const eventId = newId('evt');
  const sequence = await nextSequence(tx, subjectId);
  const occurredAt = deps.clock.now();
  const payload = {
    schema_version: 1,
    event_id: eventId,
    event_type: type,
    sequence,
    occurred_at: new Date(occurredAt).toISOString(),
    build: null,
    stall: null,
    ...part,
  };
  await insertEvent(tx, {
    eventId,
    accountId,
    subjectKind,
    subjectId,
    eventType: type,
    sequence,
    occurredAt,
    payload: JSON.stringify(payload),
  });
  tx.onCommit(() => deps.wake.wake('events'));
}
