// A new sealing key, and everything that is sealed moved under it. The service may run meanwhile: it takes up the
// new key with the next value it seals.

import { notifySecretContext } from '../builds/app/notify-secrets.js';
import { secretContext } from '../builds/app/secrets.js';
import { listNotifySecrets, replaceNotifySecret } from '../builds/store/notify-secrets.js';
import { listSecretsAfter, resealSecret } from '../builds/store/secrets.js';
import { webhookSecretContext } from '../events/app/webhook-secrets.js';
import { changeWebhook, findAnyWebhook, listWebhooksAfter } from '../events/store/webhooks.js';
import { replyContext } from '../platform/app/idempotency.js';
import { openedBytes, type Vault } from '../platform/app/vault.js';
import { listReplyBodies, replaceReplyBody } from '../platform/store/idempotency.js';
import type { KeyFile } from '../platform/store/key-file.js';
import type { Store } from '../platform/store/sql.js';

export interface Rotation {
  readonly keyId: string;
  /** Values that were sealed anew. */
  readonly resealed: number;
  /** Values that could not be opened, and stay as they are. */
  readonly unreadable: number;
}

type Resealed = Pick<Rotation, 'resealed' | 'unreadable'>;

const BATCH = 200;

/**
 * Rotates the key. Everything is first moved under the present key, so that a rotation which was broken off
 * leaves nothing behind that only an older, forgotten key could open.
 */
export async function rotateKey(deps: { store: Store; keys: KeyFile; vault: Vault }): Promise<Rotation> {
  await resealAll(deps);
  const { id } = deps.keys.rotate();
  return { keyId: id, ...(await resealAll(deps)) };
}

async function resealAll({ store, keys, vault }: { store: Store; keys: KeyFile; vault: Vault }) {
  const current = keys.current().id;
  const sum: Resealed = { resealed: 0, unreadable: 0 };
  const all = [resealSecrets, resealReplies, resealNotifySecrets, resealWebhooks];
  return all.reduce(async (before, reseal) => {
    const { resealed, unreadable } = await before;
    const more = await reseal(store, vault, current);
    return { resealed: resealed + more.resealed, unreadable: unreadable + more.unreadable };
  }, Promise.resolve(sum));
}

async function resealSecrets(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = { accountId: -1, name: '' }; ; ) {
    const batch = await listSecretsAfter(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last;
    await store.transaction(async (tx) => {
      for (const secret of batch) {
        if (secret.keyId === current) continue;
        const context = secretContext(secret.accountId, secret.name);
        const value = openedBytes(() => vault.open(secret, context));
        if (value === null) count.unreadable++;
        else if (await resealSecret(tx, secret, vault.seal(value, context))) count.resealed++;
      }
    });
  }
}

async function resealReplies(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = { accountId: -1, key: '' }; ; ) {
    const batch = await listReplyBodies(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last;
    await store.transaction(async (tx) => {
      for (const { accountId, key, body } of batch) {
        const next = moved(vault, body, replyContext(accountId, key), current, count);
        if (next !== null) await replaceReplyBody(tx, { accountId, key, body, next });
      }
    });
  }
}

async function resealNotifySecrets(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = ''; ; ) {
    const batch = await listNotifySecrets(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.buildId;
    await store.transaction(async (tx) => {
      for (const { buildId, sealed } of batch) {
        const next = moved(vault, sealed, notifySecretContext(buildId), current, count);
        if (next !== null) await replaceNotifySecret(tx, buildId, next);
      }
    });
  }
}

async function resealWebhooks(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = ''; ; ) {
    const batch = await listWebhooksAfter(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.webhookId;
    await store.transaction(async (tx) => {
      for (const { webhookId } of batch) {
        // Read again: it may have been given a new secret since.
        const webhook = await findAnyWebhook(tx, webhookId);
        if (!webhook) continue;
        const context = webhookSecretContext(webhookId);
        const move = (sealed: Buffer) => moved(vault, sealed, context, current, count) ?? sealed;
        await changeWebhook(tx, webhookId, {
          secret: move(webhook.secret),
          previousSecret: webhook.previousSecret && move(webhook.previousSecret),
        });
      }
    });
  }
}

/** The value sealed under the current key; null when it is already, or cannot be opened. */
function moved(
  vault: Vault,
  sealed: Buffer,
  context: string,
  current: string,
  count: { resealed: number; unreadable: number },
): Buffer | null {
  const value = openedBytes(() =>
    vault.keyOf(sealed) === current ? NOTHING : vault.openBytes(sealed, context),
  );
  if (value === null) count.unreadable++;
  if (value === null || value === NOTHING) return null;
  count.resealed++;
  return vault.sealBytes(value, context);
}

/** Stands for a value that need not be moved. */
const NOTHING = Buffer.alloc(0);
