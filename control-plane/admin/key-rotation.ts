// Creates a new sealing key and reseals all values with it. The service may run meanwhile: it uses the
// new key from the next value that it seals.

import { listTotpAfter, replaceSealedTotp, totpContext } from '../access/store/second-factors.js';
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
import { listSealedMails, mailContext, replaceSealedMail } from '../platform/store/mails.js';
import type { Store } from '../platform/store/sql.js';

export interface Rotation {
  readonly keyId: string;
  /** Number of values that were resealed. */
  readonly resealed: number;
  /** Number of values that could not be decrypted; they are left unchanged. */
  readonly unreadable: number;
}

type Resealed = Pick<Rotation, 'resealed' | 'unreadable'>;

const BATCH = 200;

/**
 * Rotates the key. First reseals all values with the current key, so that an interrupted rotation leaves no
 * value that only an older, removed key could decrypt.
 */
export async function rotateKey(deps: { store: Store; keys: KeyFile; vault: Vault }): Promise<Rotation> {
  await resealAll(deps);
  const { id } = deps.keys.rotate();
  return { keyId: id, ...(await resealAll(deps)) };
}

async function resealAll({ store, keys, vault }: { store: Store; keys: KeyFile; vault: Vault }) {
  const current = keys.current().id;
  const sum: Resealed = { resealed: 0, unreadable: 0 };
  const all = [resealSecrets, resealReplies, resealNotifySecrets, resealMails, resealWebhooks, resealTotp];
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

async function resealMails(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = ''; ; ) {
    const batch = await listSealedMails(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.mailId;
    await store.transaction(async (tx) => {
      for (const { mailId, sealed } of batch) {
        if (sealed === null) continue;
        const next = moved(vault, sealed, mailContext(mailId), current, count);
        if (next !== null) await replaceSealedMail(tx, { mailId, sealed, next });
      }
    });
  }
}

async function resealTotp(store: Store, vault: Vault, current: string): Promise<Resealed> {
  const count = { resealed: 0, unreadable: 0 };
  for (let after = ''; ; ) {
    const batch = await listTotpAfter(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.userId;
    await store.transaction(async (tx) => {
      for (const { userId, sealed } of batch) {
        const next = moved(vault, sealed, totpContext(userId), current, count);
        if (next !== null) await replaceSealedTotp(tx, { userId, sealed, next });
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
        // Read it again: its secret may have changed since the batch was read.
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

/** Returns the value sealed with the current key; null if it already is, or if it cannot be decrypted. */
function moved(
  vault: Vault,
  sealed: Buffer,
  context: string,
  current: string,
  count: { resealed: number; unreadable: number },
): Buffer | null {
  const value = openedBytes(() => (vault.keyOf(sealed) === current ? NOTHING : vault.openBytes(sealed, context)));
  if (value === null) count.unreadable++;
  if (value === null || value === NOTHING) return null;
  count.resealed++;
  return vault.sealBytes(value, context);
}

/** Marks a value that is already sealed with the current key. */
const NOTHING = Buffer.alloc(0);
