// Webhooks; their signing secrets are kept sealed.
import { eventTypes } from '../../builds/domain/event.js';
import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import {
  type DisabledReason,
  subscription,
  type Webhook,
  type WebhookStatus,
  type WebhookTest,
} from '../domain/webhook.js';

export interface SealedSecrets {
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  /** Until when the previous one signs too, ms since the epoch. */
  readonly previousUntil: number | null;
}

export interface SealedWebhook extends Webhook {
  readonly secrets: SealedSecrets;
}

interface Row {
  webhook_id: string;
  account_id: number;
  url: string;
  events: string;
  status: WebhookStatus;
  disabled_reason: DisabledReason | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: number | null;
  test: string;
  created_at: number;
}

const fromRow = (row: Row): SealedWebhook => {
  const listed = new Set(readStrings(row.events));
  return {
    webhookId: row.webhook_id,
    accountId: row.account_id,
    url: row.url,
    events: subscription(eventTypes.filter((type) => listed.has(type))),
    status: row.status,
    disabledReason: row.disabled_reason,
    // Written by this file alone.
    test: JSON.parse(row.test) as WebhookTest,
    createdAt: row.created_at,
    secrets: {
      secret: row.secret,
      previousSecret: row.previous_secret,
      previousUntil: row.previous_until,
    },
  };
};

/** Oldest first. */
export async function listWebhooks(q: Queries, accountId: number): Promise<SealedWebhook[]> {
  const rows = await q.all<Row>(
    'SELECT * FROM webhooks WHERE account_id = :accountId ORDER BY created_at, webhook_id',
    { accountId },
  );
  return rows.map(fromRow);
}

/** Which of the account's webhooks are to be told, and of what. Their secrets are not read. */
export interface Subscriber {
  readonly webhookId: string;
  readonly events: ReadonlySet<string>;
}

/** Oldest first; none that is disabled. */
export async function listSubscribers(q: Queries, accountId: number): Promise<Subscriber[]> {
  const rows = await q.all<{ webhook_id: string; events: string }>(
    `SELECT webhook_id, events FROM webhooks WHERE account_id = :accountId AND status = 'enabled'
     ORDER BY created_at, webhook_id`,
    { accountId },
  );
  return rows.map((row) => ({ webhookId: row.webhook_id, events: new Set(readStrings(row.events)) }));
}

/** Null too when it is another account's. */
export async function findWebhook(
  q: Queries,
  accountId: number,
  webhookId: string,
): Promise<SealedWebhook | null> {
  const found = await findAnyWebhook(q, webhookId);
  return found?.accountId === accountId ? found : null;
}

export async function findAnyWebhook(q: Queries, webhookId: string): Promise<SealedWebhook | null> {
  const row = await q.get<Row>('SELECT * FROM webhooks WHERE webhook_id = :webhookId', { webhookId });
  return row ? fromRow(row) : null;
}

export async function countWebhooks(q: Queries, accountId: number): Promise<number> {
  const row = await q.get<{ n: number }>('SELECT COUNT(*) AS n FROM webhooks WHERE account_id = :accountId', {
    accountId,
  });
  return row?.n ?? 0;
}

export async function insertWebhook(tx: Transaction, webhook: SealedWebhook): Promise<void> {
  await tx.run(
    `INSERT INTO webhooks (webhook_id, account_id, url, events, status, disabled_reason, secret, previous_secret,
       previous_until, test, created_at)
     VALUES (:webhookId, :accountId, :url, :events, :status, :disabledReason, :secret, :previousSecret,
       :previousUntil, :test, :createdAt)`,
    {
      webhookId: webhook.webhookId,
      accountId: webhook.accountId,
      url: webhook.url,
      events: JSON.stringify(webhook.events),
      status: webhook.status,
      disabledReason: webhook.disabledReason,
      ...webhook.secrets,
      test: JSON.stringify(webhook.test),
      createdAt: webhook.createdAt,
    },
  );
}

export type WebhookChanges = Partial<Pick<Webhook, 'url' | 'events' | 'status' | 'disabledReason' | 'test'>> &
  Partial<SealedSecrets>;

const COLUMNS: Record<keyof WebhookChanges, string> = {
  url: 'url',
  events: 'events',
  status: 'status',
  disabledReason: 'disabled_reason',
  test: 'test',
  secret: 'secret',
  previousSecret: 'previous_secret',
  previousUntil: 'previous_until',
};

/** Null when there is no such webhook any more. */
export async function changeWebhook(
  tx: Transaction,
  webhookId: string,
  changes: WebhookChanges,
): Promise<SealedWebhook | null> {
  const params: Record<string, SqlValue> = { webhookId };
  const set = (Object.keys(changes) as (keyof WebhookChanges)[]).map((name) => {
    const value = changes[name] ?? null;
    params[name] =
      typeof value === 'object' && value !== null && !Buffer.isBuffer(value) ? JSON.stringify(value) : value;
    return `${COLUMNS[name]} = :${name}`;
  });
  const row = await tx.get<Row>(
    `UPDATE webhooks SET ${set.join(', ')} WHERE webhook_id = :webhookId RETURNING *`,
    params,
  );
  return row ? fromRow(row) : null;
}

export async function deleteWebhook(tx: Transaction, accountId: number, webhookId: string): Promise<boolean> {
  const { changes } = await tx.run(
    'DELETE FROM webhooks WHERE webhook_id = :webhookId AND account_id = :accountId',
    { webhookId, accountId },
  );
  return changes > 0;
}

/** Any account's, by id, behind `after`: for sealing their secrets anew. */
export async function listWebhooksAfter(q: Queries, after: string, limit: number): Promise<SealedWebhook[]> {
  const rows = await q.all<Row>(
    'SELECT * FROM webhooks WHERE webhook_id > :after ORDER BY webhook_id LIMIT :limit',
    { after, limit },
  );
  return rows.map(fromRow);
}
