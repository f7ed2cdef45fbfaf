// Webhooks as their owner sees them: registered with a test, changed, tested, given a new secret, removed.

import type { Clock } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import type { EventType } from '../../builds/domain/event.js';
import { TEST_EVENT } from '../../builds/domain/event.js';
import { testPayload } from '../../builds/domain/event-payload.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { newSigningSecret, type SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { PublicFetch } from '../../platform/outbound/public-fetch.js';
import { RECEIVER_RULES } from '../../platform/outbound/public-url.js';
import type { Store } from '../../platform/store/sql.js';
import { isSuccess } from '../domain/delivery.js';
import {
  type DisabledReason,
  subscription,
  type Webhook,
  type WebhookStatus,
  type WebhookTest,
} from '../domain/webhook.js';
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
import { postWebhook } from './webhook-post.js';
import { openSecrets, SECRET_UNREADABLE, webhookSecretContext } from './webhook-secrets.js';

/** With its secret: at registration and rotation. */
export interface RevealedWebhook extends Webhook {
  readonly secret: string;
}

export interface WebhooksDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly limits: Pick<Limits, 'webhooks' | 'webhook_grace_s'>;
  readonly publicFetch: Pick<PublicFetch, 'post' | 'problem'>;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Why what was on its way to a webhook was given up. */
export const DISABLED = 'the webhook was disabled';

export function createWebhooks(deps: WebhooksDeps) {
  const { store, clock, vault, limits, publicFetch } = deps;

  const existing = async (accountId: number, webhookId: string): Promise<SealedWebhook> => {
    const found = await findWebhook(store, accountId, webhookId);
    if (!found) throw new ApiError('webhook_not_found');
    return found;
  };
  const checkRoom = (count: number) => {
    if (count < limits.webhooks) return;
    throw new ApiError('webhooks_limit', {
      message: `An account may have ${countOf(limits.webhooks, 'webhook')}; remove one first.`,
    });
  };
  const checkUrl = async (url: string) => {
    const problem = await publicFetch.problem(url);
    if (problem === null) return;
    throw new ApiError('invalid_webhook', {
      message: `url: ${problem}. ${RECEIVER_RULES}`,
      detail: { fields: [{ path: 'url', message: problem }] },
    });
  };
  const test = async (url: string, secrets: SigningSecrets | null): Promise<WebhookTest> => {
    if (secrets === null) return { ok: false, httpStatus: null, error: SECRET_UNREADABLE };
    const eventId = newId('evt');
    const payload = JSON.stringify(testPayload(eventId, clock.now()));
    const post = { url, eventType: TEST_EVENT, eventId, deliveryId: newId('dl'), payload };
    const { answer } = await postWebhook(deps, post, secrets);
    if (answer.kind !== 'answered') return { ok: false, httpStatus: null, error: answer.error };
    const ok = isSuccess(answer.status);
    return { ok, httpStatus: answer.status, error: ok ? null : `answered ${answer.status}` };
  };
  const change = (webhookId: string, changes: WebhookChanges) =>
    store.transaction(async (tx) => {
      const changed = await changeWebhook(tx, webhookId, changes);
      if (!changed) throw new ApiError('webhook_not_found');
      if (changed.status === 'disabled') await giveUpDeliveries(tx, webhookId, DISABLED);
      return changed;
    });
  const standing = (
    test: WebhookTest,
  ): { test: WebhookTest; status: WebhookStatus; disabledReason: DisabledReason | null } =>
    test.ok
      ? { test, status: 'enabled', disabledReason: null }
      : { test, status: 'disabled', disabledReason: 'test_failed' };

  return {
    list: (accountId: number): Promise<readonly Webhook[]> => listWebhooks(store, accountId),

    /** Throws webhook_not_found, also for another account's. */
    get: (accountId: number, webhookId: string): Promise<Webhook> => existing(accountId, webhookId),

    /**
     * Registers a webhook and sends it a test at once; one that is not answered 2xx is kept disabled.
     *
     * @param stored called in the transaction that writes it
     * @throws ApiError invalid_webhook, webhooks_limit
     */
    async create(
      accountId: number,
      wanted: { url: string; events?: readonly EventType[] | undefined },
      stored: InTransaction<RevealedWebhook>,
    ): Promise<RevealedWebhook> {
      await checkUrl(wanted.url);
      checkRoom(await countWebhooks(store, accountId));
      const secret = newSigningSecret();
      const webhookId = newId('wh');
      const tested = await test(wanted.url, { current: secret, previous: null });
      return store.transaction(async (tx) => {
        checkRoom(await countWebhooks(tx, accountId));
        const webhook: RevealedWebhook = {
          webhookId,
          accountId,
          url: wanted.url,
          events: subscription(wanted.events),
          ...standing(tested),
          createdAt: clock.now(),
          secret,
        };
        const sealed = vault.pack(secret, webhookSecretContext(webhookId));
        await insertWebhook(tx, { ...webhook, secret: sealed, previousSecret: null, previousUntil: null });
        await stored(tx, webhook);
        return webhook;
      });
    },

    /** Another address, and enabling, is tested first: what is not answered 2xx is disabled. */
    async change(
      accountId: number,
      webhookId: string,
      wanted: {
        url?: string | undefined;
        events?: readonly EventType[] | undefined;
        status?: WebhookStatus | undefined;
      },
    ): Promise<Webhook> {
      const seen = await existing(accountId, webhookId);
      const { url = seen.url, status } = wanted;
      const events = wanted.events ? { events: subscription(wanted.events) } : {};
      if (url !== seen.url) await checkUrl(url);
      if (status === 'disabled') {
        return change(webhookId, { url, ...events, status, disabledReason: 'by_request' });
      }
      if (url === seen.url && status === undefined) return change(webhookId, events);
      const tested = await test(url, openSecrets(vault, seen, clock.now()));
      return change(webhookId, { url, ...events, ...standing(tested) });
    },

    /** A test that is answered 2xx enables; one that is not changes nothing but the note of it. */
    async test(accountId: number, webhookId: string): Promise<Webhook> {
      const seen = await existing(accountId, webhookId);
      const tested = await test(seen.url, openSecrets(vault, seen, clock.now()));
      return change(webhookId, tested.ok ? standing(tested) : { test: tested });
    },

    /** A new secret; the one before signs too for `graceS` seconds (default: a day). */
    async rotate(
      accountId: number,
      webhookId: string,
      graceS: number | undefined,
      stored: InTransaction<RevealedWebhook>,
    ): Promise<RevealedWebhook> {
      await existing(accountId, webhookId);
      const secret = newSigningSecret();
      return store.transaction(async (tx) => {
        const seen = await findWebhook(tx, accountId, webhookId);
        if (!seen) throw new ApiError('webhook_not_found');
        const graceMs = (graceS ?? limits.webhook_grace_s) * 1000;
        const changed = await changeWebhook(tx, webhookId, {
          secret: vault.pack(secret, webhookSecretContext(webhookId)),
          previousSecret: graceMs > 0 ? seen.secret : null,
          previousUntil: graceMs > 0 ? clock.now() + graceMs : null,
        });
        const webhook = { ...(changed ?? seen), secret };
        await stored(tx, webhook);
        return webhook;
      });
    },

    /** Throws webhook_not_found. What was on its way to it is given up. */
    async remove(accountId: number, webhookId: string, removed: InTransaction): Promise<void> {
      await store.transaction(async (tx) => {
        if (!(await deleteWebhook(tx, accountId, webhookId))) throw new ApiError('webhook_not_found');
        await giveUpDeliveries(tx, webhookId, 'the webhook was removed');
        await removed(tx);
      });
    },
  };
}
