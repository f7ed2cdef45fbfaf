// Webhooks; their signing secrets are kept sealed.
import { bytes, int } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { webhookFields } from '../domain/webhook.js';

export const webhooks = table('webhooks', {
  ...webhookFields,
  secret: bytes(),
  previousSecret: bytes().orNull,
  /** Until when the previous one signs too, ms since the epoch. */
  previousUntil: int().orNull,
});
export type SealedWebhook = Selected<typeof webhooks>;
/** Oldest first. */
export function listWebhooks(q: Queries, accountId: number): Promise<SealedWebhook[]> {
  return webhooks.all(q, 'WHERE account_id = :accountId ORDER BY created_at, webhook_id', { accountId });
}

/** The account's webhooks and the events that each receives. Their secrets are not read. */
export interface Subscriber {
  readonly webhookId: string;
  readonly events: ReadonlySet<string>;
}

const subscribers = webhooks.pick('webhookId', 'events');

/** Oldest first, without disabled ones. */
export async function listSubscribers(q: Queries, accountId: number): Promise<Subscriber[]> {
  const found = await subscribers.all(
    q,
    `WHERE account_id = :accountId AND status = 'enabled' ORDER BY created_at, webhook_id`,
    { accountId },
  );
  return found.map(({ webhookId, events }) => ({ webhookId, events: new Set(events) }));
}

/** Returns null for another account's, too. */
export async function findWebhook(q: Queries, accountId: number, webhookId: string): Promise<SealedWebhook | null> {
  const found = await findAnyWebhook(q, webhookId);
  return found?.accountId === accountId ? found : null;
}

export function findAnyWebhook(q: Queries, webhookId: string): Promise<SealedWebhook | null> {
  return webhooks.get(q, 'WHERE webhook_id = :webhookId', { webhookId });
}

export const countWebhooks = (q: Queries, accountId: number): Promise<number> =>
  readCount(q, 'SELECT COUNT(*) AS n FROM webhooks WHERE account_id = :accountId', {
    accountId,
  });

export const insertWebhook = webhooks.insert;

export type WebhookChanges = Partial<Omit<SealedWebhook, 'webhookId' | 'accountId' | 'createdAt'>>;

/** Null when the webhook no longer exists. */
export function changeWebhook(
  tx: Transaction,
  webhookId: string,
  changes: WebhookChanges,
): Promise<SealedWebhook | null> {
  return webhooks.change(tx, { webhookId }, changes);
}

export async function deleteWebhook(tx: Transaction, accountId: number, webhookId: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM webhooks WHERE webhook_id = :webhookId AND account_id = :accountId', {
    webhookId,
    accountId,
  });
  return changes > 0;
}

/** Of any account, by id, after `after`: for encrypting their secrets again. */
export function listWebhooksAfter(q: Queries, after: string, limit: number): Promise<SealedWebhook[]> {
  return webhooks.all(q, 'WHERE webhook_id > :after ORDER BY webhook_id LIMIT :limit', { after, limit });
}
