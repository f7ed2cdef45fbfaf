// Build secrets: written by people, read by nothing but the message that starts a build.
import type { BuildSecret } from '../../shared/build.js';
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import { checkSecretName, checkSecretValue, isMasked, type SecretName } from '../domain/secret.js';
import {
  countOtherSecrets,
  deleteSecret,
  findSealedSecret,
  listSealedSecrets,
  listSecretNames,
  putSecret,
} from '../store/secrets.js';
import type { Store, Transaction } from '../store/sql.js';
import type { Vault } from './vault.js';

export interface Secrets {
  list(accountId: number): Promise<SecretName[]>;
  /** `masked` false: the value is too short to be masked in logs. Throws the errors of the secret group. */
  put(
    accountId: number,
    name: string,
    value: string,
    stored?: (tx: Transaction, secret: SecretName & { masked: boolean }) => Promise<void>,
  ): Promise<SecretName & { masked: boolean }>;
  /** Throws secret_not_found. */
  remove(accountId: number, name: string, removed?: (tx: Transaction) => Promise<void>): Promise<void>;
  /** The values, in clear, for the message that starts a build of this account; kept nowhere. */
  reveal(accountId: number): Promise<BuildSecret[]>;
  /** The value of the first of these secrets that the account has, or null. */
  revealFirst(accountId: number, names: readonly string[]): Promise<string | null>;
}

/** What a sealed secret belongs to; it opens nowhere else. */
export const secretContext = (accountId: number, name: string) => `secret:${accountId}:${name}`;

export function createSecrets(deps: {
  store: Store;
  clock: Clock;
  vault: Vault;
  limits: Pick<Limits, 'secrets' | 'secret_bytes'>;
}): Secrets {
  const { store, clock, vault, limits } = deps;
  return {
    list: (accountId) => listSecretNames(store, accountId),

    async put(accountId, name, value, stored) {
      checkSecretName(name);
      checkSecretValue(value, limits);
      const sealed = vault.seal(value, secretContext(accountId, name));
      return store.transaction(async (tx) => {
        if ((await countOtherSecrets(tx, accountId, name)) >= limits.secrets) {
          throw new ApiError('secrets_limit', {
            message: `An account may have ${limits.secrets} secrets; remove one first.`,
          });
        }
        const written = await putSecret(tx, { accountId, name, sealed, now: clock.now() });
        const secret = { ...written, masked: isMasked(value) };
        await stored?.(tx, secret);
        return secret;
      });
    },

    async remove(accountId, name, removed) {
      await store.transaction(async (tx) => {
        if (!(await deleteSecret(tx, accountId, name))) throw new ApiError('secret_not_found');
        await removed?.(tx);
      });
    },

    async reveal(accountId) {
      const sealed = await listSealedSecrets(store, accountId);
      return sealed.map((secret) => ({
        name: secret.name,
        value: vault.open(secret.sealed, secretContext(accountId, secret.name)).toString(),
      }));
    },

    async revealFirst(accountId, names) {
      for (const name of names) {
        const sealed = await findSealedSecret(store, accountId, name);
        if (sealed) return vault.open(sealed, secretContext(accountId, name)).toString();
      }
      return null;
    },
  };
}
