// Sealed values that do not open: counted for /healthz, listed for the operator.

import { notifySecretContext } from '../../builds/app/build-submission.js';
import { secretContext } from '../../builds/app/secrets.js';
import { listNotifySecrets } from '../../builds/store/notify-secrets.js';
import { listSecretsAfter } from '../../builds/store/secrets.js';
import { webhookSecretContext } from '../../events/app/webhook-secrets.js';
import { findAnyWebhook, listWebhooksAfter } from '../../events/store/webhooks.js';
import { UnreadableError, type Vault } from '../../platform/app/vault.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Store } from '../../platform/store/sql.js';
import { countSealedByKey } from '../store/sealed-keys.js';

export interface Unreadable {
  readonly accountId: number;
  /** webhook: its signing secret; notify_url: that of a build. */
  readonly kind: 'secret' | 'webhook' | 'notify_url';
  /** Name of the secret, id of the webhook or of the build. */
  readonly name: string;
  readonly reason: UnreadableError['reason'];
}

const BATCH = 200;

/** Opens every secret and signing secret, and returns those that do not open. */
export async function listUnreadable(deps: { store: Store; vault: Vault }): Promise<Unreadable[]> {
  const { store, vault } = deps;
  const found: Unreadable[] = [];
  const check = (what: Omit<Unreadable, 'reason'>, open: () => Buffer) => {
    try {
      open();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      found.push({ ...what, reason: error.reason });
    }
  };
  for (let after = { accountId: -1, name: '' }; ; ) {
    const batch = await listSecretsAfter(store, after, BATCH);
    for (const { accountId, name, sealed } of batch) {
      check({ accountId, kind: 'secret', name }, () => vault.open(sealed, secretContext(accountId, name)));
    }
    const last = batch.at(-1);
    if (!last) break;
    after = last;
  }
  for (let after = ''; ; ) {
    const batch = await listWebhooksAfter(store, after, BATCH);
    for (const { webhookId } of batch) {
      const webhook = await findAnyWebhook(store, webhookId);
      if (!webhook) continue;
      const { accountId, secrets } = webhook;
      check({ accountId, kind: 'webhook', name: webhookId }, () =>
        vault.unpack(secrets.secret, webhookSecretContext(webhookId)),
      );
    }
    const last = batch.at(-1);
    if (!last) break;
    after = last.webhookId;
  }
  for (let after = ''; ; ) {
    const batch = await listNotifySecrets(store, after, BATCH);
    for (const { buildId, accountId, sealed } of batch) {
      check({ accountId, kind: 'notify_url', name: buildId }, () =>
        vault.unpack(sealed, notifySecretContext(buildId)),
      );
    }
    const last = batch.at(-1);
    if (!last) return found;
    after = last.buildId;
  }
}

/** What /healthz says of the key file and of what it does not open; opens nothing, and names no account. */
export async function secretDegradations(deps: { store: Store; vault: Vault }): Promise<Degradation[]> {
  const found: Degradation[] = [];
  const problem = deps.vault.problem();
  if (problem !== null) {
    found.push({ name: 'key_file', message: `${problem}. Nothing new can be sealed until it can be used.` });
  }
  const unreadable = (await countSealedByKey(deps.store)).filter(({ keyId }) => !deps.vault.has(keyId));
  for (const [kind, noun] of [
    ['secret', 'build secrets'],
    ['webhook', 'signing secrets of webhooks'],
  ] as const) {
    const values = unreadable.filter((row) => row.kind === kind);
    const count = values.reduce((sum, row) => sum + row.count, 0);
    if (count === 0) continue;
    found.push({
      name: `${kind}s_unreadable`,
      message: `${count} ${noun} are sealed with a key that is not in the key file. Put the right key file back, or have them set again; cidermill admin secrets check lists them.`,
    });
  }
  return found;
}
