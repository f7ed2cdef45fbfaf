// Accounts at the identity provider that are linked to people: one for each person and provider.
import { int, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const identities = table('identities', {
  issuer: text(),
  /** The person's id at the provider, which stays when the e-mail address changes. */
  subject: text(),
  userId: text(),
  /** At the provider, when the account was linked; null: it gave none. */
  email: text().orNull,
  createdAt: int(),
  lastUsedAt: int().orNull.initially(null),
});
export type Identity = Selected<typeof identities>;

/** Throws ConstraintError when the account is linked already, or the person has another one of this provider. */
export const insertIdentity = identities.insert;

export const findIdentity = (db: Queries, issuer: string, subject: string): Promise<Identity | null> =>
  identities.get(db, 'WHERE issuer = :issuer AND subject = :subject', { issuer, subject });

export const identityOf = (db: Queries, userId: string, issuer: string): Promise<Identity | null> =>
  identities.get(db, 'WHERE user_id = :userId AND issuer = :issuer', { userId, issuer });

export async function touchIdentity(tx: Transaction, { issuer, subject }: Identity, now: number): Promise<void> {
  await identities.update(tx, { issuer, subject }, { lastUsedAt: now });
}

/** Returns false when nothing was linked. */
export async function deleteIdentity(tx: Transaction, userId: string, issuer: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM identities WHERE user_id = :userId AND issuer = :issuer', {
    userId,
    issuer,
  });
  return changes > 0;
}
