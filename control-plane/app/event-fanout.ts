// From the outbox to its receivers: one delivery for each webhook that lists the event, and one for the build's
// notify_url; and what the code host is to be told.
import type { Clock } from '../../shared/clock.js';
import type { Build } from '../domain/build.js';
import { newId } from '../domain/ids.js';
import { notifyEvents } from '../domain/webhook.js';
import { findAnyBuild } from '../store/builds.js';
import { hasSaidGone, insertDelivery } from '../store/deliveries.js';
import { type EventKey, markPassedOn, readPendingEvents } from '../store/events.js';
import type { Store, Transaction } from '../store/sql.js';
import { listWebhooks, type SealedWebhook } from '../store/webhooks.js';
import type { Wake } from '../wake.js';

export interface FanoutDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'wake'>;
  /** Part of the transaction that passes the event on. */
  wantCommitStatus(tx: Transaction, event: EventKey, build: Build): Promise<void>;
}

const BATCH = 100;

/** Passes on the oldest events that have not been, in one transaction; false when there were none. */
export async function fanOutSome(deps: FanoutDeps): Promise<boolean> {
  if ((await readPendingEvents(deps.store, 1)).length === 0) return false;
  return deps.store.transaction(async (tx) => {
    const events = await readPendingEvents(tx, BATCH);
    const webhooks = new Map<number, readonly SealedWebhook[]>();
    const lanes = new Set<string>();
    for (const event of events) {
      const { accountId } = event;
      const known = webhooks.get(accountId) ?? (await listWebhooks(tx, accountId));
      webhooks.set(accountId, known);
      for (const { webhookId, status, events: listed } of known) {
        if (status !== 'enabled' || !listed.includes(event.type)) continue;
        await deliver(tx, deps, event, webhookId, webhookId);
        lanes.add(webhookId);
      }
      const build = await findAnyBuild(tx, event.buildId);
      if (build) {
        const lane = await notify(tx, deps, event, build);
        if (lane !== null) lanes.add(lane);
        await deps.wantCommitStatus(tx, event, build);
      }
      await markPassedOn(tx, event.eventId);
    }
    tx.onCommit(() => {
      for (const lane of lanes) deps.wake.wake('deliveries', lane);
    });
    return events.length > 0;
  });
}

async function notify(
  tx: Transaction,
  deps: FanoutDeps,
  event: EventKey,
  build: Build,
): Promise<string | null> {
  const { notifyUrl, buildId, accountId } = build;
  if (notifyUrl === null || !notifyEvents.has(event.type) || (await hasSaidGone(tx, buildId))) return null;
  // Builds with the same receiver share what it may cost.
  const lane = `${accountId} ${new URL(notifyUrl).origin}`;
  await deliver(tx, deps, event, buildId, lane);
  return lane;
}

function deliver(tx: Transaction, deps: FanoutDeps, event: EventKey, receiver: string, lane: string) {
  return insertDelivery(tx, {
    deliveryId: newId('dl'),
    accountId: event.accountId,
    receiver,
    lane,
    buildId: event.buildId,
    eventId: event.eventId,
    eventType: event.type,
    now: deps.clock.now(),
  });
}
