// Lists and resends deliveries of a webhook.
import type { Clock } from '../../../shared/clock.js';
import type { EventType } from '../../builds/domain/event.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { EventKey } from '../../platform/store/outbox.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Delivery, DeliveryStatus } from '../domain/delivery.js';
import { findDelivery, insertDelivery, listDeliveries, startAgain, startNext } from '../store/deliveries.js';
import { readMissedEvents } from '../store/events.js';
import { findWebhook, type SealedWebhook } from '../store/webhooks.js';

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Cursor of the next page, or null on the last page. */
  readonly nextBefore: string | null;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(deps: {
  store: Store;
  clock: Clock;
  wake: Pick<Wake, 'wake'>;
  limits: Pick<Limits, 'webhook_redeliveries'>;
}) {
  const { store, clock, wake, limits } = deps;

  const webhookOf = async (q: Queries, accountId: number, webhookId: string) => {
    const webhook = await findWebhook(q, accountId, webhookId);
    if (!webhook) throw new ApiError('webhook_not_found');
    return webhook;
  };
  const begin = async (tx: Transaction, webhookId: string) => {
    await startNext(tx, webhookId, clock.now());
    tx.onCommit(() => wake.wake('deliveries', webhookId));
  };
  const enabled = async (tx: Transaction, accountId: number, webhookId: string) => {
    const webhook = await webhookOf(tx, accountId, webhookId);
    if (webhook.status === 'enabled') return webhook;
    throw new ApiError('invalid_webhook', {
      message: 'The webhook is disabled; enable it with a test first.',
    });
  };

  return {
    /**
     * Newest first. Throws webhook_not_found, and delivery_not_found when `before` is not a delivery of the webhook.
     */
    async list(
      accountId: number,
      webhookId: string,
      page: { status: DeliveryStatus | null; before: string | null; limit: number },
    ): Promise<DeliveryPage> {
      await webhookOf(store, accountId, webhookId);
      const last = page.before === null ? null : await findDelivery(store, webhookId, page.before);
      if (page.before !== null && last === null) throw new ApiError('delivery_not_found');
      const found = await listDeliveries(store, webhookId, {
        status: page.status,
        before: last,
        limit: page.limit + 1,
      });
      const deliveries = found.slice(0, page.limit);
      const more = found.length > page.limit ? deliveries.at(-1) : undefined;
      return { deliveries, nextBefore: more?.deliveryId ?? null };
    },

    /** Sends a delivery again from its first attempt; a pending delivery stays as it is. */
    async redeliver(
      accountId: number,
      webhookId: string,
      deliveryId: string,
      queued: InTransaction,
    ): Promise<Delivery> {
      return store.transaction(async (tx) => {
        await webhookOf(tx, accountId, webhookId);
        if (!(await findDelivery(tx, webhookId, deliveryId))) throw new ApiError('delivery_not_found');
        await enabled(tx, accountId, webhookId);
        await startAgain(tx, webhookId, { deliveryId });
        await begin(tx, webhookId);
        await queued(tx);
        const found = await findDelivery(tx, webhookId, deliveryId);
        if (!found) throw new ApiError('delivery_not_found');
        return found.delivery;
      });
    },

    /**
     * Resends everything that was sent to this webhook since `since`, and sends the events it missed while disabled.
     * Oldest first, limited in number.
     *
     * @returns number of deliveries queued
     */
    async redeliverSince(
      accountId: number,
      webhookId: string,
      { since, status }: { since: number; status: DeliveryStatus | null },
      queued: InTransaction,
    ): Promise<number> {
      return store.transaction(async (tx) => {
        const webhook = await enabled(tx, accountId, webhookId);
        const limit = limits.webhook_redeliveries;
        const again = await startAgain(tx, webhookId, { since, status, limit });
        const missed = await readMissedEvents(tx, {
          accountId,
          receiver: webhookId,
          types: webhook.events,
          since: Math.max(since, webhook.createdAt),
          limit: limit - again,
        });
        for (const event of missed) await insertFirstDelivery(tx, webhook, event, clock.now());
        await begin(tx, webhookId);
        await queued(tx);
        return again + missed.length;
      });
    },
  };
}

function insertFirstDelivery(
  tx: Transaction,
  { webhookId, accountId }: Pick<SealedWebhook, 'webhookId' | 'accountId'>,
  { buildId, eventId, eventType }: EventKey<EventType>,
  createdAt: number,
) {
  return insertDelivery(tx, {
    deliveryId: newId('dl'),
    accountId,
    receiver: webhookId,
    windowKey: webhookId,
    buildId,
    eventId,
    eventType,
    createdAt,
  });
}
