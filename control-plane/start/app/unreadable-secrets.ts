// Sealed values that cannot be decrypted: counted for /healthz, listed for the operator.

import { countOf } from '../../../shared/count.js';
import { everyNotifySecret } from '../../builds/app/notify-secrets.js';
import { everySecret } from '../../builds/app/secrets.js';
import { everySigningSecret } from '../../events/app/webhook-secrets.js';
import { UnreadableError, type Vault } from '../../platform/app/vault.js';
import type { Degradation } from '../../platform/domain/degradation.js';
import type { Store } from '../../platform/store/sql.js';
import { countSealedByKey } from '../store/sealed-keys.js';

export interface Unreadable {
  readonly accountId: number;
  /** webhook: its signing secret; notify_url: the signing secret of a build's notify_url. */
  readonly kind: 'secret' | 'webhook' | 'notify_url';
  /** Name of the secret, or id of the webhook or build. */
  readonly name: string;
  readonly reason: UnreadableError['reason'];
}

/** Decrypts every secret and signing secret, and returns those that cannot be decrypted. */
export async function listUnreadable({ store, vault }: { store: Store; vault: Vault }): Promise<Unreadable[]> {
  const found: Unreadable[] = [];
  for (const [kind, values] of [
    ['secret', everySecret(store, vault)],
    ['webhook', everySigningSecret(store, vault)],
    ['notify_url', everyNotifySecret(store, vault)],
  ] as const) {
    for await (const { accountId, name, open } of values) {
      try {
        open();
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        found.push({ accountId, kind, name, reason: error.reason });
      }
    }
  }
  return found;
}

/** Returns degradations for the key file and for values whose key is missing. Decrypts nothing, names no account. */
export async function secretDegradations(deps: { store: Store; vault: Vault }): Promise<Degradation[]> {
  const found: Degradation[] = [];
  const problem = deps.vault.problem();
  if (problem !== null) {
    found.push({ name: 'key_file', message: `${problem}. Nothing new can be sealed until it can be used.` });
  }
  const unreadable = (await countSealedByKey(deps.store)).filter(({ keyId }) => !deps.vault.has(keyId));
  const setAgain = 'have them set again; cidermill admin secrets check lists them';
  for (const [kind, one, many, remedy] of [
    ['secret', 'build secret', 'build secrets', setAgain],
    ['webhook', 'signing secret of a webhook', 'signing secrets of webhooks', setAgain],
    [
      'totp',
      'secret of an authenticator app',
      'secrets of authenticator apps',
      'turn off two-step sign-in of these people with cidermill admin user remove-second-factors; their recovery codes still work',
    ],
  ] as const) {
    const values = unreadable.filter((row) => row.kind === kind);
    const count = values.reduce((sum, row) => sum + row.count, 0);
    if (count === 0) continue;
    found.push({
      name: kind === 'totp' ? 'totp_secrets_unreadable' : `${kind}s_unreadable`,
      message: `${countOf(count, one, many)} ${count === 1 ? 'is' : 'are'} sealed with a key that is not in the key file. Put the right key file back, or ${remedy}.`,
    });
  }
  return found;
}
