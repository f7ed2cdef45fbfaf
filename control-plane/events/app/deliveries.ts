// Lists and resends deliveries of a webhook.
import { inGroups } from '../../../shared/in-steps.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { EventKey } from '../../platform/store/outbox.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Delivery, DeliveryStatus } from '../domain/delivery.js';
import type { EventType } from '../domain/event.js';
import {
  type DeliveryPlace,
  type EndedSlice,
  findDelivery,
  insertDelivery,
  listDeliveries,
  startAgain,
  startAgainAfter,
  startNext,
} from '../store/deliveries.js';
import { type EventPlace, readMissedEvents } from '../store/events.js';
import { findWebhook, type SealedWebhook } from '../store/webhooks.js';

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Cursor of the next page, or null on the last page. */
  readonly nextBefore: string | null;
}

/** Events examined per slice of the search for missed ones. */
const EVENTS_AT_ONCE = 1_000;
/** Deliveries queued in one transaction, which holds the thread. */
const QUEUED_AT_ONCE = 100;

interface DeliveriesDeps extends Pick<Core, 'store' | 'clock' | 'wake'> {
  readonly limits: Pick<Limits, 'webhook_redeliveries' | 'webhook_deliveries_kept_ms'>;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries(deps: DeliveriesDeps) {
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
        await startAgain(tx, webhookId, deliveryId);
        await begin(tx, webhookId);
        await queued(tx);
        const found = await findDelivery(tx, webhookId, deliveryId);
        if (!found) throw new ApiError('delivery_not_found');
        return found.delivery;
      });
    },

    /**
     * Resends everything that was sent to this webhook since `since`, and sends the events it missed while disabled.
     * Oldest first, limited in number, in steps: what was queued before an error stays queued.
     *
     * @returns number of deliveries queued
     */
    async redeliverSince(
      accountId: number,
      webhookId: string,
      { since, status }: { since: number; status: DeliveryStatus | null },
      queued: InTransaction,
      step: Step,
    ): Promise<number> {
      const webhook = await webhookOf(store, accountId, webhookId);
      const missed = await missedBy(deps, webhook, since, step);
      const enqueue: Enqueue = (work) =>
        store.transaction(async (tx) => {
          const result = await work(tx, await enabled(tx, accountId, webhookId));
          await begin(tx, webhookId);
          return result;
        });
      const limit = limits.webhook_redeliveries;
      const again = await restartSince(enqueue, webhookId, { since, status, limit }, step);
      const first = missed.slice(0, limit - again);
      for await (const events of inGroups(first, QUEUED_AT_ONCE, step)) {
        await enqueue(async (tx) => {
          for (const event of events) await insertFirstDelivery(tx, webhook, event, clock.now());
        });
      }
      await enqueue((tx) => queued(tx));
      return again + first.length;
    },
  };
}

/** Runs work in a transaction in which the webhook is enabled, and makes due what it has queued. */
type Enqueue = <T>(work: (tx: Transaction, webhook: SealedWebhook) => Promise<T>) => Promise<T>;

/** Restarts deliveries that have ended, oldest first; returns how many. */
async function restartSince(
  enqueue: Enqueue,
  webhookId: string,
  { since, status, limit }: { since: number; status: DeliveryStatus | null; limit: number },
  step: Step,
): Promise<number> {
  let again = 0;
  for (let after: DeliveryPlace | null = { createdAt: since, seq: 0 }; after !== null && again < limit; ) {
    const slice: EndedSlice = { after, status, limit: Math.min(QUEUED_AT_ONCE, limit - again) };
    const { count, next } = await enqueue((tx) => startAgainAfter(tx, webhookId, slice));
    again += count;
    after = next;
    await step();
  }
  return again;
}

/** Events without a delivery to the webhook, oldest first. They are kept for longer than deliveries. */
async function missedBy({ store, clock, limits }: DeliveriesDeps, webhook: SealedWebhook, since: number, step: Step) {
  const kept = clock.now() - limits.webhook_deliveries_kept_ms;
  const found: EventKey<EventType>[] = [];
  let after: EventPlace | null = { occurredAt: Math.max(since, webhook.createdAt, kept) - 1, seq: 0 };
  while (after !== null && found.length < limits.webhook_redeliveries) {
    const slice = await readMissedEvents(store, {
      accountId: webhook.accountId,
      receiver: webhook.webhookId,
      types: webhook.events,
      after,
      limit: limits.webhook_redeliveries - found.length,
      examined: EVENTS_AT_ONCE,
    });
    found.push(...slice.events);
    after = slice.next;
    await step();
  }
  return found;
}

function insertFirstDelivery(
  tx: Transaction,
  { webhookId, accountId }: Pick<SealedWebhook, 'webhookId' | 'accountId'>,
  { subjectId, eventId, eventType }: EventKey<EventType>,
  createdAt: number,
) {
  return insertDelivery(tx, {
    deliveryId: newId('dl'),
    accountId,
    receiver: webhookId,
    windowKey: webhookId,
    subjectId,
    eventId,
    eventType,
    createdAt,
  });
}
