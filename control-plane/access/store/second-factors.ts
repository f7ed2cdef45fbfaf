// The second factor of a person: the secret of an authenticator app, and recovery codes.
import { bytes, int, text } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const totpSecrets = table('totp_secrets', {
  userId: text(),
  /** See `totpContext`. */
  sealed: bytes(),
  /** When a code of it was entered first; null: not yet, so it does not count. */
  onSince: int().orNull.initially(null),
  /** The last step of which a code was used. */
  usedStep: int().initially(0),
  /** Wrong codes since the last right one. */
  failures: int().initially(0),
  failedAt: int().initially(0),
  createdAt: int(),
});
export type TotpSecret = Selected<typeof totpSecrets>;

/** Binds a sealed secret to its row. */
export const totpContext = (userId: string) => `totp:${userId}`;

export const insertTotp = totpSecrets.insert;

export const findTotp = (db: Queries, userId: string): Promise<TotpSecret | null> =>
  totpSecrets.get(db, 'WHERE user_id = :userId', { userId });

export async function updateTotp(tx: Transaction, userId: string, changes: Partial<TotpSecret>): Promise<void> {
  await totpSecrets.update(tx, { userId }, changes);
}

export async function deleteTotp(tx: Transaction, userId: string): Promise<void> {
  await tx.run('DELETE FROM totp_secrets WHERE user_id = :userId', { userId });
}

/** Up to `limit` after the person `after`, for a rotation of the key. */
export const listTotpAfter = (db: Queries, after: string, limit: number): Promise<TotpSecret[]> =>
  totpSecrets.all(db, 'WHERE user_id > :after ORDER BY user_id LIMIT :limit', { after, limit });

/** Does nothing when the secret was replaced meanwhile. */
export async function replaceSealedTotp(
  tx: Transaction,
  { userId, sealed, next }: { userId: string; sealed: Buffer; next: Buffer },
): Promise<void> {
  await totpSecrets.update(tx, { userId, sealed }, { sealed: next });
}

export const recoveryCodes = table('recovery_codes', { userId: text(), codeHash: text() });

/** Replaces the codes of a person; none: only deletes them. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.run('DELETE FROM recovery_codes WHERE user_id = :userId', { userId });
  for (const codeHash of hashes) await recoveryCodes.insert(tx, { userId, codeHash });
}

/** Deletes the code; returns whether it was there. */
export async function takeRecoveryCode(tx: Transaction, userId: string, codeHash: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM recovery_codes WHERE user_id = :userId AND code_hash = :codeHash', {
    userId,
    codeHash,
  });
  return changes > 0;
}

export const countRecoveryCodes = (db: Queries, userId: string): Promise<number> =>
  readCount(db, 'SELECT COUNT(*) AS count FROM recovery_codes WHERE user_id = :userId', {
    userId,
  });
