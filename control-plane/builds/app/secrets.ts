// Build secrets. Values are decrypted only for the message that starts a build.
import type { BuildSecret } from '../../../shared/build.js';
import type { Clock } from '../../../shared/clock.js';
import { countOf } from '../../../shared/count.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { rowsInPages, type SealedValue } from '../../platform/app/sealed-values.js';
import { openedBytes, type Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import {
  checkSecretName,
  checkToken,
  environmentBytes,
  isMasked,
  kindOf,
  type ListedSecret,
  type SealedSecret,
  type SecretInput,
  type StoredSecret,
  secretValue,
} from '../domain/secret.js';
import {
  deleteSecret,
  findSealedSecret,
  listSealedSecrets,
  listSecretsAfter,
  putSecret,
  sumOtherSecrets,
} from '../store/secrets.js';

/** Thrown when secrets of an account cannot be decrypted, so that none of its builds can start. */
export class SecretsUnreadableError extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super(`secrets that cannot be decrypted: ${names.join(', ')}`);
    this.name = 'SecretsUnreadableError';
    this.names = names;
  }
}

export type Secrets = ReturnType<typeof createSecrets>;

/** Context that binds a sealed secret to its row; it cannot be opened in any other. */
export const secretContext = (accountId: number, name: string) => `secret:${accountId}:${name}`;

export function createSecrets(deps: {
  store: Store;
  clock: Clock;
  vault: Vault;
  limits: Pick<Limits, 'secrets' | 'secret_bytes' | 'secrets_total_bytes'>;
}) {
  const { store, clock, vault, limits } = deps;

  const opened = (secret: SealedSecret): Buffer | null => {
    const { accountId, name } = secret;
    return openedBytes(() => vault.open(secret, secretContext(accountId, name)));
  };

  const checkRoom = async (tx: Transaction, accountId: number, name: string, value: Buffer) => {
    const others = await sumOtherSecrets(tx, accountId, name);
    if (others.count >= limits.secrets) {
      throw new ApiError('secrets_limit', {
        message: `An account may have ${countOf(limits.secrets, 'secret')}; remove one first.`,
      });
    }
    const total =
      others.valueBytes +
      others.nameBytes +
      others.count * environmentBytes('', 0) +
      environmentBytes(name, value.length);
    if (total > limits.secrets_total_bytes) {
      throw new ApiError('secrets_limit', {
        message: `All secrets of an account together may have ${limits.secrets_total_bytes} bytes, names included (with this one: ${total}): every build gets all of them in its environment, whose size the operating system limits. Remove one, or shorten a value.`,
      });
    }
  };

  return {
    async list(accountId: number): Promise<ListedSecret[]> {
      const secrets = await listSealedSecrets(store, accountId);
      return secrets.map((secret) => {
        const { name, createdAt, updatedAt } = secret;
        const value = opened(secret);
        return {
          name,
          createdAt,
          updatedAt,
          readable: value !== null,
          masked: value === null ? null : isMasked(value),
          kind: value === null ? null : kindOf(value),
        };
      });
    },

    /**
     * Sets a secret. `masked` is false if the value is too short to be masked in logs. Throws the errors of the secret
     * group.
     */
    async put(accountId: number, name: string, input: SecretInput, stored?: InTransaction<StoredSecret>) {
      checkSecretName(name);
      const value = secretValue(input, limits);
      checkToken(name, value);
      const sealed = vault.seal(value, secretContext(accountId, name));
      return store.transaction(async (tx) => {
        await checkRoom(tx, accountId, name, value);
        const written = await putSecret(tx, { accountId, name, now: clock.now() }, sealed);
        const secret = { ...written, masked: isMasked(value), kind: kindOf(value) };
        await stored?.(tx, secret);
        return secret;
      });
    },

    /** Throws secret_not_found. */
    async remove(accountId: number, name: string, removed?: InTransaction): Promise<void> {
      await store.transaction(async (tx) => {
        if (!(await deleteSecret(tx, accountId, name))) throw new ApiError('secret_not_found');
        await removed?.(tx);
      });
    },

    /**
     * Returns the decrypted values for the message that starts a build of this account; they are not cached. Throws
     * SecretsUnreadableError.
     */
    async reveal(accountId: number): Promise<BuildSecret[]> {
      const unreadable: string[] = [];
      const secrets: BuildSecret[] = [];
      for (const secret of await listSealedSecrets(store, accountId)) {
        const value = opened(secret);
        if (value === null) unreadable.push(secret.name);
        else secrets.push(asBuildSecret(secret.name, value));
      }
      if (unreadable.length > 0) throw new SecretsUnreadableError(unreadable);
      return secrets;
    },

    /** Returns whether the account has any of these secrets. */
    async has(q: Queries, accountId: number, names: readonly string[]): Promise<boolean> {
      for (const name of names) if (await findSealedSecret(q, accountId, name)) return true;
      return false;
    },

    /**
     * Returns the value of the first of these secrets that the account has as a variable, or null. Throws
     * SecretsUnreadableError.
     */
    async revealFirst(accountId: number, names: readonly string[]): Promise<string | null> {
      for (const name of names) {
        const secret = await findSealedSecret(store, accountId, name);
        if (!secret) continue;
        const value = opened(secret);
        if (value === null) throw new SecretsUnreadableError([name]);
        if (kindOf(value) === 'variable') return value.toString();
      }
      return null;
    },
  };
}

const asBuildSecret = (name: string, value: Buffer): BuildSecret =>
  kindOf(value) === 'variable'
    ? { name, value: value.toString() }
    : { name, value: value.toString('base64'), encoding: 'base64' };

const PAGE = 200;

/** Yields every secret of every account. */
export async function* everySecret(q: Queries, vault: Pick<Vault, 'open'>): AsyncGenerator<SealedValue> {
  const read = (after: { accountId: number; name: string }) => listSecretsAfter(q, after, PAGE);
  for await (const secret of rowsInPages({ accountId: -1, name: '' }, read)) {
    const { accountId, name } = secret;
    yield { accountId, name, open: () => vault.open(secret, secretContext(accountId, name)) };
  }
}
