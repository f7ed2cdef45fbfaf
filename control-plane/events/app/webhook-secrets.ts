// Signing secrets of webhooks, stored sealed with their webhook.

import { rowsInPages, type SealedValue } from '../../platform/app/sealed-values.js';
import { openedOrNull, type Vault } from '../../platform/app/vault.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { Queries } from '../../platform/store/sql.js';
import { listWebhooksAfter, type SealedWebhook } from '../store/webhooks.js';

/** Binds a sealed signing secret to its webhook: it cannot be opened in another context. */
export const webhookSecretContext = (webhookId: string) => `webhook:${webhookId}`;

/**
 * Returns the secrets to sign with; the previous one during its grace period. Null when the secret cannot be
 * decrypted.
 */
export function openSecrets(
  vault: Pick<Vault, 'openBytes'>,
  { webhookId, secret, previousSecret, previousUntil }: SealedWebhook,
  now: number,
): SigningSecrets | null {
  const open = (sealed: Buffer) => openedOrNull(() => vault.openBytes(sealed, webhookSecretContext(webhookId)));
  const isGrace = previousSecret !== null && previousUntil !== null && now < previousUntil;
  const current = open(secret);
  return current === null ? null : { current, previous: isGrace ? open(previousSecret) : null };
}

const PAGE = 200;

/** Yields the signing secret of every webhook, named by its webhook id. */
export async function* everySigningSecret(q: Queries, vault: Pick<Vault, 'openBytes'>): AsyncGenerator<SealedValue> {
  const read = ({ webhookId }: { webhookId: string }) => listWebhooksAfter(q, webhookId, PAGE);
  for await (const { webhookId, accountId, secret } of rowsInPages({ webhookId: '' }, read)) {
    const open = () => vault.openBytes(secret, webhookSecretContext(webhookId));
    yield { accountId, name: webhookId, open };
  }
}
