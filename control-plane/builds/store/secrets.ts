// Secrets are kept sealed; only `builds/app/secrets.ts` opens them.
import { type Sealed, TAG_BYTES } from '../../platform/domain/sealing.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { SecretName } from '../domain/secret.js';

export interface SealedSecret {
  readonly accountId: number;
  readonly name: string;
  readonly sealed: Sealed;
}

interface NameRow {
  name: string;
  created_at: number;
  updated_at: number;
}

interface SealedRow {
  account_id: number;
  name: string;
  key_id: string;
  nonce: Buffer;
  ciphertext: Buffer;
}

const fromNameRow = (row: NameRow): SecretName => ({
  name: row.name,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const fromSealedRow = (row: SealedRow): SealedSecret => ({
  accountId: row.account_id,
  name: row.name,
  sealed: { keyId: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext },
});

export async function listSealedSecrets(
  db: Queries,
  accountId: number,
): Promise<(SealedSecret & SecretName)[]> {
  const rows = await db.all<SealedRow & NameRow>(
    `SELECT account_id, name, key_id, nonce, ciphertext, created_at, updated_at FROM secrets
     WHERE account_id = :accountId ORDER BY name`,
    { accountId },
  );
  return rows.map((row) => ({ ...fromSealedRow(row), ...fromNameRow(row) }));
}

/** Null when the account has no secret of that name. */
export async function findSealedSecret(db: Queries, accountId: number, name: string): Promise<Sealed | null> {
  const row = await db.get<SealedRow>(
    `SELECT account_id, name, key_id, nonce, ciphertext FROM secrets
     WHERE account_id = :accountId AND name = :name`,
    { accountId, name },
  );
  return row ? fromSealedRow(row).sealed : null;
}

/** How many other secrets the account has, and the bytes of their values and names. */
export async function sumOtherSecrets(
  db: Queries,
  accountId: number,
  name: string,
): Promise<{ count: number; valueBytes: number; nameBytes: number }> {
  const row = await db.get<{ count: number; valueBytes: number; nameBytes: number }>(
    `SELECT COUNT(*) AS count, COALESCE(SUM(LENGTH(ciphertext) - ${TAG_BYTES}), 0) AS valueBytes,
       COALESCE(SUM(LENGTH(name)), 0) AS nameBytes
     FROM secrets WHERE account_id = :accountId AND name <> :name`,
    { accountId, name },
  );
  return row ?? { count: 0, valueBytes: 0, nameBytes: 0 };
}

export async function putSecret(
  tx: Transaction,
  { accountId, name, sealed, now }: SealedSecret & { now: number },
): Promise<SecretName> {
  const row = await tx.get<NameRow>(
    `INSERT INTO secrets (account_id, name, key_id, nonce, ciphertext, created_at, updated_at)
     VALUES (:accountId, :name, :keyId, :nonce, :ciphertext, :now, :now)
     ON CONFLICT (account_id, name) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce,
       ciphertext = excluded.ciphertext, updated_at = excluded.updated_at
     RETURNING name, created_at, updated_at`,
    { accountId, name, ...sealed, now },
  );
  if (!row) throw new Error('the insert returned no row');
  return fromNameRow(row);
}

export async function deleteSecret(tx: Transaction, accountId: number, name: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM secrets WHERE account_id = :accountId AND name = :name', {
    accountId,
    name,
  });
  return changes > 0;
}

/** Up to `limit` secrets of any account, by account and name, behind `after`. */
export async function listSecretsAfter(
  db: Queries,
  after: { accountId: number; name: string },
  limit: number,
): Promise<SealedSecret[]> {
  const rows = await db.all<SealedRow>(
    `SELECT account_id, name, key_id, nonce, ciphertext FROM secrets
     WHERE (account_id, name) > (:accountId, :name) ORDER BY account_id, name LIMIT :limit`,
    { ...after, limit },
  );
  return rows.map(fromSealedRow);
}

/** The same value under another key; false when it has been changed or deleted since it was read. */
export async function resealSecret(
  tx: Transaction,
  { accountId, name, sealed }: SealedSecret,
  next: Sealed,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE secrets SET key_id = :keyId, nonce = :nonce, ciphertext = :ciphertext
     WHERE account_id = :accountId AND name = :name AND nonce = :before`,
    { accountId, name, before: sealed.nonce, ...next },
  );
  return changes > 0;
}
