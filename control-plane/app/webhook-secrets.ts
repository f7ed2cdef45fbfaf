// Signing secrets of webhooks, as they lie sealed beside their webhook.
import type { SigningSecrets } from '../domain/webhook-signature.js';
import type { SealedWebhook } from '../store/webhooks.js';
import type { Vault } from './vault.js';

/** What a sealed signing secret belongs to; it opens nowhere else. */
export const webhookSecretContext = (webhookId: string) => `webhook:${webhookId}`;

/** The secrets that sign now; the previous one while its time of grace lasts. */
export function openSecrets(
  vault: Pick<Vault, 'unpack'>,
  { webhookId, secrets }: SealedWebhook,
  now: number,
): SigningSecrets {
  const open = (sealed: Buffer) => vault.unpack(sealed, webhookSecretContext(webhookId)).toString();
  const { secret, previousSecret, previousUntil } = secrets;
  const isGrace = previousSecret !== null && previousUntil !== null && now < previousUntil;
  return { current: open(secret), previous: isGrace ? open(previousSecret) : null };
}
