// From the outbox to its receivers: one delivery for each webhook that lists the event, and one for the build's
// notify_url; and what the code host is to be told.
import type { Clock } from '../../../shared/clock.js';
import { toldBuilds } from '../../builds/app/build-lookup.js';
import type { ToldBuild } from '../../builds/domain/build.js';
import type { EventType } from '../../builds/domain/event.js';
import { newId } from '../../platform/domain/ids.js';
import {
  type EventKey,
  hasPendingEvents,
  markPassedOn,
  readPendingEvents,
} from '../../platform/store/outbox.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { notifyEvents } from '../domain/webhook.js';
import { hasSaidGone, insertDelivery } from '../store/deliveries.js';
import { listSubscribers, type Subscriber } from '../store/webhooks.js';

export interface FanoutDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'wake'>;
  /** Part of the transaction that passes the event on. */
  wantCommitStatus(tx: Transaction, event: EventKey<EventType>, build: ToldBuild): Promise<void>;
}

const BATCH = 100;

/** Passes on the oldest events that have not been, in one transaction; false when there were none. */
export async function fanOutSome(deps: FanoutDeps): Promise<boolean> {
  if (!(await hasPendingEvents(deps.store))) return false;
  return deps.store.transaction(async (tx) => {
    const events = await readPendingEvents<EventType>(tx, BATCH);
    const last = events.at(-1);
    if (last === undefined) return false;
    const builds = await toldBuilds(tx, new Set(events.map(({ buildId }) => buildId)));
    const subscribers = new Map<number, readonly Subscriber[]>();
    const lanes = new Set<string>();
    for (const event of events) {
      const { accountId } = event;
      const build = builds.get(event.buildId);
      const known = subscribers.get(accountId) ?? (await listSubscribers(tx, accountId));
      subscribers.set(accountId, known);
      for (const { webhookId, events: listed } of known) {
        if (!listed.has(event.eventType)) continue;
        await deliver(tx, deps, event, webhookId, webhookId);
        lanes.add(webhookId);
      }
      if (!build) continue;
      const lane = await notify(tx, deps, event, build);
      if (lane !== null) lanes.add(lane);
      await deps.wantCommitStatus(tx, event, build);
    }
    await markPassedOn(tx, last.seq);
    tx.onCommit(() => {
      for (const lane of lanes) deps.wake.wake('deliveries', lane);
    });
    return true;
  });
}

async function notify(
  tx: Transaction,
  deps: FanoutDeps,
  event: EventKey<EventType>,
  build: ToldBuild,
): Promise<string | null> {
  const { notifyUrl, buildId, accountId } = build;
  if (notifyUrl === null || !notifyEvents.has(event.eventType) || (await hasSaidGone(tx, buildId)))
    return null;
  // Builds with the same receiver share what it may cost.
  const lane = `${accountId} ${new URL(notifyUrl).origin}`;
  await deliver(tx, deps, event, buildId, lane);
  return lane;
}

function deliver(
  tx: Transaction,
  deps: FanoutDeps,
  event: EventKey<EventType>,
  receiver: string,
  lane: string,
) {
  return insertDelivery(tx, {
    deliveryId: newId('dl'),
    accountId: event.accountId,
    receiver,
    lane,
    buildId: event.buildId,
    eventId: event.eventId,
    eventType: event.eventType,
    createdAt: deps.clock.now(),
  });
}
