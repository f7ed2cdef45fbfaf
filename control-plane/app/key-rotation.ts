// A new sealing key, and everything that is sealed moved under it. The service may run meanwhile: it takes up the
// new key with the next value it seals.

import { listReplyBodies, replaceReplyBody } from '../store/idempotency.js';
import type { KeyFile } from '../store/key-file.js';
import { listNotifySecrets, replaceNotifySecret } from '../store/notify-secrets.js';
import { listSecretsNotUnder, resealSecret } from '../store/secrets.js';
import type { Store } from '../store/sql.js';
import { changeWebhook, findAnyWebhook, listWebhooksAfter } from '../store/webhooks.js';
import { notifySecretContext } from './build-submission.js';
import { replyContext } from './idempotency.js';
import { secretContext } from './secrets.js';
import type { Vault } from './vault.js';
import { webhookSecretContext } from './webhook-secrets.js';

export interface Rotation {
  readonly keyId: string;
  /** Values that were sealed anew. */
  readonly resealed: number;
}

const BATCH = 200;

/**
 * Rotates the key. Everything is first moved under the present key, so that a rotation which was broken off
 * leaves nothing behind that only an older, forgotten key could open.
 */
export async function rotateKey(deps: { store: Store; keys: KeyFile; vault: Vault }): Promise<Rotation> {
  await resealAll(deps);
  const { id } = deps.keys.rotate();
  return { keyId: id, resealed: await resealAll(deps) };
}

async function resealAll({
  store,
  keys,
  vault,
}: {
  store: Store;
  keys: KeyFile;
  vault: Vault;
}): Promise<number> {
  const current = keys.current().id;
  return (
    (await resealSecrets(store, vault, current)) +
    (await resealReplies(store, vault, current)) +
    (await resealNotifySecrets(store, vault, current)) +
    (await resealWebhooks(store, vault, current))
  );
}

async function resealSecrets(store: Store, vault: Vault, current: string): Promise<number> {
  for (let count = 0; ; ) {
    const batch = await listSecretsNotUnder(store, current, BATCH);
    if (batch.length === 0) return count;
    await store.transaction(async (tx) => {
      for (const secret of batch) {
        const context = secretContext(secret.accountId, secret.name);
        const moved = vault.seal(vault.open(secret.sealed, context), context);
        if (await resealSecret(tx, secret, moved)) count++;
      }
    });
  }
}

async function resealReplies(store: Store, vault: Vault, current: string): Promise<number> {
  let count = 0;
  for (let after = { accountId: -1, key: '' }; ; ) {
    const batch = await listReplyBodies(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last;
    await store.transaction(async (tx) => {
      for (const { accountId, key, body } of batch) {
        if (vault.keyOf(body) === current) continue;
        const context = replyContext(accountId, key);
        const next = vault.pack(vault.unpack(body, context), context);
        await replaceReplyBody(tx, { accountId, key, body, next });
        count++;
      }
    });
  }
}

async function resealNotifySecrets(store: Store, vault: Vault, current: string): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const batch = await listNotifySecrets(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.buildId;
    await store.transaction(async (tx) => {
      for (const { buildId, sealed } of batch) {
        if (vault.keyOf(sealed) === current) continue;
        const context = notifySecretContext(buildId);
        await replaceNotifySecret(tx, buildId, vault.pack(vault.unpack(sealed, context), context));
        count++;
      }
    });
  }
}

async function resealWebhooks(store: Store, vault: Vault, current: string): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const batch = await listWebhooksAfter(store, after, BATCH);
    const last = batch.at(-1);
    if (!last) return count;
    after = last.webhookId;
    await store.transaction(async (tx) => {
      for (const { webhookId } of batch) {
        // Read again: it may have been given a new secret since.
        const secrets = (await findAnyWebhook(tx, webhookId))?.secrets;
        if (!secrets) continue;
        const context = webhookSecretContext(webhookId);
        const move = (sealed: Buffer) => {
          if (vault.keyOf(sealed) === current) return sealed;
          count++;
          return vault.pack(vault.unpack(sealed, context), context);
        };
        await changeWebhook(tx, webhookId, {
          secret: move(secrets.secret),
          previousSecret: secrets.previousSecret && move(secrets.previousSecret),
        });
      }
    });
  }
}
