// Secrets are kept sealed; only `builds/app/secrets.ts` opens them.
import { type Sealed, TAG_BYTES } from '../../platform/domain/sealing.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type SealedSecret, secretFields } from '../domain/secret.js';

export const secrets = table('secrets', secretFields);

export function listSealedSecrets(db: Queries, accountId: number): Promise<SealedSecret[]> {
  return secrets.all(db, 'WHERE account_id = :accountId ORDER BY name', { accountId });
}

/** Returns null if the account has no secret of that name. */
export function findSealedSecret(db: Queries, accountId: number, name: string): Promise<SealedSecret | null> {
  return secrets.get(db, 'WHERE account_id = :accountId AND name = :name', { accountId, name });
}

/** Returns how many other secrets the account has, and the total bytes of their names and values. */
export async function sumOtherSecrets(
  db: Queries,
  accountId: number,
  name: string,
): Promise<{ count: number; valueBytes: number; nameBytes: number }> {
  const row = await db.get<{ count: number; valueBytes: number; nameBytes: number }>(
    `SELECT COUNT(*) AS count, COALESCE(SUM(LENGTH(ciphertext) - ${TAG_BYTES}), 0) AS "valueBytes",
       COALESCE(SUM(LENGTH(name)), 0) AS "nameBytes"
     FROM secrets WHERE account_id = :accountId AND name <> :name`,
    { accountId, name },
  );
  return row ?? { count: 0, valueBytes: 0, nameBytes: 0 };
}

const put = secrets.inserter({
  onConflict: `ON CONFLICT (account_id, name) DO UPDATE
    SET ${secrets.excluded('keyId', 'nonce', 'ciphertext', 'updatedAt')}`,
});

/** Creates the secret or replaces its value. */
export async function putSecret(
  tx: Transaction,
  of: { accountId: number; name: string; now: number },
  { keyId, nonce, ciphertext }: Sealed,
): Promise<SealedSecret> {
  const { accountId, name, now } = of;
  await put(tx, { accountId, name, keyId, nonce, ciphertext, createdAt: now, updatedAt: now });
  const kept = await findSealedSecret(tx, accountId, name);
  if (!kept) throw new Error('the secret that was just written is missing');
  return kept;
}

export async function deleteSecret(tx: Transaction, accountId: number, name: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM secrets WHERE account_id = :accountId AND name = :name', {
    accountId,
    name,
  });
  return changes > 0;
}

/** Up to `limit` secrets of any account, by account and name, after `after`. */
export function listSecretsAfter(
  db: Queries,
  { accountId, name }: { accountId: number; name: string },
  limit: number,
): Promise<SealedSecret[]> {
  return secrets.all(db, 'WHERE (account_id, name) > (:accountId, :name) ORDER BY account_id, name LIMIT :limit', {
    accountId,
    name,
    limit,
  });
}

/**
 * Replaces the sealed value with one under another key; false if the secret was changed or deleted since it was read.
 */
export async function resealSecret(
  tx: Transaction,
  { accountId, name, nonce }: SealedSecret,
  next: Sealed,
): Promise<boolean> {
  return (await secrets.update(tx, { accountId, name, nonce }, { ...next })) > 0;
}
