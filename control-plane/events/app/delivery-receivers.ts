// Receivers of deliveries: a webhook, or the notify_url of a build.
import type { Clock } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import { notifyReceiver } from '../../builds/app/notify-secrets.js';
import type { Vault } from '../../platform/app/vault.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { Store } from '../../platform/store/sql.js';
import { findAnyWebhook } from '../store/webhooks.js';
import { openSecrets } from './webhook-secrets.js';

export interface Receiver {
  readonly url: string;
  /** Null when they cannot be decrypted. */
  readonly secrets: SigningSecrets | null;
}

/** @param receiver a webhook id or a build id */
export const isWebhook = (receiver: string) => receiver.startsWith('wh_');

/** Error of an attempt that could not be signed. */
export const unreadableError = (receiver: string) =>
  deliveryError(isWebhook(receiver) ? 'webhook_secret_unreadable' : 'notify_secret_unreadable');

/** Null when the receiver no longer exists or is disabled. */
export async function findReceiver(
  { store, vault, clock }: { store: Store; vault: Vault; clock: Clock },
  receiver: string,
): Promise<Receiver | null> {
  if (isWebhook(receiver)) {
    const webhook = await findAnyWebhook(store, receiver);
    if (webhook?.status !== 'enabled') return null;
    return { url: webhook.url, secrets: openSecrets(vault, webhook, clock.now()) };
  }
  const found = await notifyReceiver(store, vault, receiver);
  if (!found) return null;
  const { url, secret } = found;
  return { url, secrets: secret === null ? null : { current: secret, previous: null } };
}
