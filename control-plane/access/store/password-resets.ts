import { int, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const passwordResets = table('password_resets', {
  tokenHash: text(),
  userId: text(),
  createdAt: int(),
  expiresAt: int(),
});
export type PasswordReset = Selected<typeof passwordResets>;

/** Replaces the person's previous one. */
export async function putPasswordReset(tx: Transaction, reset: PasswordReset): Promise<void> {
  await deletePasswordReset(tx, reset.userId);
  await passwordResets.insert(tx, reset);
}

/** Includes expired ones. */
export function findPasswordReset(db: Queries, tokenHash: string): Promise<PasswordReset | null> {
  return passwordResets.get(db, 'WHERE token_hash = :tokenHash', { tokenHash });
}

/** Includes an expired one. */
export function passwordResetOf(db: Queries, userId: string): Promise<PasswordReset | null> {
  return passwordResets.get(db, 'WHERE user_id = :userId', { userId });
}

export async function deletePasswordReset(tx: Transaction, userId: string): Promise<void> {
  await tx.run('DELETE FROM password_resets WHERE user_id = :userId', { userId });
}

/** Deletes expired ones. */
export const purgePasswordResets = purgeOf('password_resets', {
  key: 'token_hash',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
