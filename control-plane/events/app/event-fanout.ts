// Fan-out from the outbox: one delivery for each webhook that subscribes to the event, one for the build's
// notify_url, and the wanted commit status.
import { toldBuilds } from '../../builds/app/build-lookup.js';
import type { ToldBuild } from '../../builds/domain/build.js';
import type { BuildEventType } from '../../builds/domain/event.js';
import type { Core } from '../../platform/app/core.js';
import { newId } from '../../platform/domain/ids.js';
import { type EventKey, hasPendingEvents, markPassedOn, readPendingEvents } from '../../platform/store/outbox.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type EventType, isBuildEvent } from '../domain/event.js';
import { notifyEvents } from '../domain/webhook.js';
import { hasSaidGone, insertDelivery } from '../store/deliveries.js';
import { listSubscribers, type Subscriber } from '../store/webhooks.js';

export interface FanoutDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  /** Runs in the transaction that fans out the event. */
  wantCommitStatus(tx: Transaction, event: EventKey<BuildEventType>, build: ToldBuild): Promise<void>;
}

const BATCH = 100;

/** Fans out the oldest pending events in one transaction. Returns false when there were none. */
export async function fanOutSome(deps: FanoutDeps): Promise<boolean> {
  if (!(await hasPendingEvents(deps.store))) return false;
  return deps.store.transaction(async (tx) => {
    const events = await readPendingEvents<EventType>(tx, BATCH);
    const last = events.at(-1);
    if (last === undefined) return false;
    const builds = await toldBuilds(tx, new Set(events.map(({ subjectId }) => subjectId)));
    const subscribers = new Map<number, readonly Subscriber[]>();
    const receivers = new Set<string>();
    for (const event of events) {
      const { accountId } = event;
      const build = builds.get(event.subjectId);
      const known = subscribers.get(accountId) ?? (await listSubscribers(tx, accountId));
      subscribers.set(accountId, known);
      for (const { webhookId, events: listed } of known) {
        if (!listed.has(event.eventType)) continue;
        await deliver(tx, deps, event, webhookId, webhookId);
        receivers.add(webhookId);
      }
      if (!build || !isAboutBuild(event)) continue;
      const windowKey = await notify(tx, deps, event, build);
      if (windowKey !== null) receivers.add(windowKey);
      await deps.wantCommitStatus(tx, event, build);
    }
    await markPassedOn(tx, last.seq);
    tx.onCommit(() => {
      for (const receiver of receivers) deps.wake.wake('deliveries', receiver);
    });
    return true;
  });
}

const isAboutBuild = (event: EventKey<EventType>): event is EventKey<BuildEventType> => isBuildEvent(event.eventType);

async function notify(
  tx: Transaction,
  deps: FanoutDeps,
  event: EventKey<EventType>,
  build: ToldBuild,
): Promise<string | null> {
  const { notifyUrl, buildId, accountId } = build;
  if (notifyUrl === null || !notifyEvents.has(event.eventType) || (await hasSaidGone(tx, buildId))) return null;
  // Builds with the same receiver share its window.
  const windowKey = `${accountId} ${new URL(notifyUrl).origin}`;
  await deliver(tx, deps, event, buildId, windowKey);
  return windowKey;
}

function deliver(tx: Transaction, deps: FanoutDeps, event: EventKey<EventType>, receiver: string, windowKey: string) {
  return insertDelivery(tx, {
    deliveryId: newId('dl'),
    accountId: event.accountId,
    receiver,
    windowKey,
    subjectId: event.subjectId,
    eventId: event.eventId,
    eventType: event.eventType,
    createdAt: deps.clock.now(),
  });
}
