// Signing secrets of webhooks, as they lie sealed beside their webhook.

import { rowsInPages, type SealedValue } from '../../platform/app/sealed-values.js';
import { openedOrNull, type Vault } from '../../platform/app/vault.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { Queries } from '../../platform/store/sql.js';
import { listWebhooksAfter, type SealedWebhook } from '../store/webhooks.js';

/** What a sealed signing secret belongs to; it opens nowhere else. */
export const webhookSecretContext = (webhookId: string) => `webhook:${webhookId}`;

/** What is noted of an attempt that could not be signed. */
export const SECRET_UNREADABLE =
  'not sent: the signing secret cannot be opened any more; rotate it (POST /webhooks/{id}/rotate)';

/** The secrets that sign now; the previous one while its time of grace lasts. Null when the secret cannot be opened. */
export function openSecrets(
  vault: Pick<Vault, 'unpack'>,
  { webhookId, secret, previousSecret, previousUntil }: SealedWebhook,
  now: number,
): SigningSecrets | null {
  const open = (sealed: Buffer) => openedOrNull(() => vault.unpack(sealed, webhookSecretContext(webhookId)));
  const isGrace = previousSecret !== null && previousUntil !== null && now < previousUntil;
  const current = open(secret);
  return current === null ? null : { current, previous: isGrace ? open(previousSecret) : null };
}

const PAGE = 200;

/** The signing secret of every webhook, named by its webhook. */
export async function* everySigningSecret(
  q: Queries,
  vault: Pick<Vault, 'unpack'>,
): AsyncGenerator<SealedValue> {
  const read = ({ webhookId }: { webhookId: string }) => listWebhooksAfter(q, webhookId, PAGE);
  for await (const { webhookId, accountId, secret } of rowsInPages({ webhookId: '' }, read)) {
    const open = () => vault.unpack(secret, webhookSecretContext(webhookId));
    yield { accountId, name: webhookId, open };
  }
}
