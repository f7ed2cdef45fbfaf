// Webhooks: registration with a test, changes, tests, rotation and removal.
import { countOf } from '../../../shared/count.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { newSigningSecret } from '../../platform/domain/webhook-signature.js';
import type { PublicFetch } from '../../platform/outbound/public-fetch.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { EventType } from '../domain/event.js';
import { subscription, type Webhook, type WebhookStatus } from '../domain/webhook.js';
import { giveUpDeliveries } from '../store/deliveries.js';
import {
  changeWebhook,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type SealedWebhook,
  type WebhookChanges,
} from '../store/webhooks.js';
import { openSecrets, webhookSecretContext } from './webhook-secrets.js';
import { requireAllowedUrl, statusAfter, testWebhook } from './webhook-test.js';

/** Includes the secret: only at registration and rotation. */
export interface RevealedWebhook extends Webhook {
  readonly secret: string;
}

export interface WebhooksDeps extends Pick<Core, 'store' | 'clock'> {
  readonly vault: Vault;
  readonly limits: Pick<Limits, 'webhooks' | 'webhook_grace_s'>;
  readonly publicFetch: Pick<PublicFetch, 'post' | 'problem'>;
}

export interface WantedChanges {
  readonly url?: string | undefined;
  readonly events?: readonly EventType[] | undefined;
  readonly status?: WebhookStatus | undefined;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Error of pending deliveries that a disabled webhook leaves behind. */
export const DISABLED = deliveryError('webhook_disabled');

export function createWebhooks(deps: WebhooksDeps) {
  const { store, clock, vault, limits, publicFetch } = deps;

  const existing = (accountId: number, webhookId: string) => findOrThrow(store, accountId, webhookId);
  const change = (webhookId: string, changes: WebhookChanges, changed: InTransaction) =>
    applyChanges(store, webhookId, changes, changed);

  return {
    list: (accountId: number): Promise<readonly Webhook[]> => listWebhooks(store, accountId),

    /** Throws webhook_not_found, also for another account's webhook. */
    get: (accountId: number, webhookId: string): Promise<Webhook> => existing(accountId, webhookId),

    /**
     * Registers a webhook and sends it a test; it is stored disabled unless the test is answered 2xx.
     *
     * @param stored called in the transaction that inserts it
     * @throws ApiError invalid_webhook, webhooks_limit
     */
    async create(
      accountId: number,
      { url, events }: { url: string; events?: readonly EventType[] | undefined },
      stored: InTransaction<RevealedWebhook>,
    ): Promise<RevealedWebhook> {
      await requireAllowedUrl(publicFetch, url);
      await requireRoom(store, accountId, limits);
      const secret = newSigningSecret();
      const tested = await testWebhook(deps, url, { current: secret, previous: null });
      return store.transaction(async (tx) => {
        await requireRoom(tx, accountId, limits);
        const webhook: RevealedWebhook = {
          webhookId: newId('wh'),
          accountId,
          url,
          events: subscription(events),
          ...statusAfter(tested),
          createdAt: clock.now(),
          secret,
        };
        const sealed = vault.sealBytes(secret, webhookSecretContext(webhook.webhookId));
        await insertWebhook(tx, { ...webhook, secret: sealed, previousSecret: null, previousUntil: null });
        await stored(tx, webhook);
        return webhook;
      });
    },

    /** A new URL and enabling are tested first; a failed test disables the webhook. */
    async change(
      accountId: number,
      webhookId: string,
      wanted: WantedChanges,
      changed: InTransaction,
    ): Promise<Webhook> {
      const seen = await existing(accountId, webhookId);
      const { url = seen.url, status } = wanted;
      const events = wanted.events ? { events: subscription(wanted.events) } : {};
      if (url !== seen.url) await requireAllowedUrl(publicFetch, url);
      if (status === 'disabled') {
        return change(webhookId, { url, ...events, status, disabledReason: 'by_request' }, changed);
      }
      if (url === seen.url && status === undefined) return change(webhookId, events, changed);
      const tested = await testWebhook(deps, url, openSecrets(vault, seen, clock.now()));
      return change(webhookId, { url, ...events, ...statusAfter(tested) }, changed);
    },

    /** Sends a test. 2xx enables the webhook; any other result is only recorded. */
    async test(accountId: number, webhookId: string, noted: InTransaction): Promise<Webhook> {
      const seen = await existing(accountId, webhookId);
      const tested = await testWebhook(deps, seen.url, openSecrets(vault, seen, clock.now()));
      return change(webhookId, tested.ok ? statusAfter(tested) : { test: tested }, noted);
    },

    /** Replaces the secret; the previous one also signs for `graceS` seconds (default: `webhook_grace_s`). */
    async rotate(
      accountId: number,
      webhookId: string,
      graceS: number | undefined,
      stored: InTransaction<RevealedWebhook>,
    ): Promise<RevealedWebhook> {
      await existing(accountId, webhookId);
      const graceMs = (graceS ?? limits.webhook_grace_s) * 1000;
      return store.transaction(async (tx) => {
        const webhook = await rotateSecret(tx, deps, { accountId, webhookId, graceMs });
        await stored(tx, webhook);
        return webhook;
      });
    },

    /** Throws webhook_not_found. Gives up its pending deliveries. */
    async remove(accountId: number, webhookId: string, removed: InTransaction): Promise<void> {
      await store.transaction(async (tx) => {
        if (!(await deleteWebhook(tx, accountId, webhookId))) throw new ApiError('webhook_not_found');
        await giveUpDeliveries(tx, webhookId, deliveryError('webhook_removed'));
        await removed(tx);
      });
    },
  };
}

async function findOrThrow(q: Queries, accountId: number, webhookId: string): Promise<SealedWebhook> {
  const found = await findWebhook(q, accountId, webhookId);
  if (!found) throw new ApiError('webhook_not_found');
  return found;
}

function applyChanges(
  store: Store,
  webhookId: string,
  changes: WebhookChanges,
  done: InTransaction,
): Promise<SealedWebhook> {
  return store.transaction(async (tx) => {
    const changed = await changeWebhook(tx, webhookId, changes);
    if (!changed) throw new ApiError('webhook_not_found');
    if (changed.status === 'disabled') await giveUpDeliveries(tx, webhookId, DISABLED);
    await done(tx);
    return changed;
  });
}

async function requireRoom(q: Queries, accountId: number, { webhooks }: Pick<Limits, 'webhooks'>) {
  if ((await countWebhooks(q, accountId)) < webhooks) return;
  throw new ApiError('webhooks_limit', {
    message: `An account may have ${countOf(webhooks, 'webhook')}; remove one first.`,
  });
}

async function rotateSecret(
  tx: Transaction,
  { vault, clock }: Pick<WebhooksDeps, 'vault' | 'clock'>,
  { accountId, webhookId, graceMs }: { accountId: number; webhookId: string; graceMs: number },
): Promise<RevealedWebhook> {
  const seen = await findOrThrow(tx, accountId, webhookId);
  const secret = newSigningSecret();
  const changed = await changeWebhook(tx, webhookId, {
    secret: vault.sealBytes(secret, webhookSecretContext(webhookId)),
    previousSecret: graceMs > 0 ? seen.secret : null,
    previousUntil: graceMs > 0 ? clock.now() + graceMs : null,
  });
  return { ...(changed ?? seen), secret };
}
