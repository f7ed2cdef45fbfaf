// Accounts at the identity provider that are linked to people: one for each person and provider.
import { int, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const identities = table('identities', {
  issuer: text(),
  /** The person's id at the provider, which stays when the e-mail address changes. */
  subject: text(),
  userId: text(),
  /** The name at the provider when the account was linked; null: it gave none. */
  email: text().orNull,
  createdAt: int(),
  lastUsedAt: int().orNull.initially(null),
  /**
   * When the person removed the link; after that, a matching e-mail address does not create another one. Null: the link
   * is in use.
   */
  removedAt: int().orNull.initially(null),
});
export type Identity = Selected<typeof identities>;

/** Throws ConstraintError when the account is linked already, or the person has another one of this provider. */
export async function insertIdentity(
  tx: Transaction,
  identity: Pick<Identity, 'issuer' | 'subject' | 'userId' | 'email' | 'createdAt'>,
): Promise<Identity> {
  const { issuer, subject, userId } = identity;
  await tx.run(
    `DELETE FROM identities WHERE issuer = :issuer AND (subject = :subject OR user_id = :userId)
       AND removed_at IS NOT NULL`,
    { issuer, subject, userId },
  );
  return identities.insert(tx, identity);
}

export const findIdentity = (db: Queries, issuer: string, subject: string): Promise<Identity | null> =>
  identities.get(db, 'WHERE issuer = :issuer AND subject = :subject AND removed_at IS NULL', { issuer, subject });

export const identityOf = (db: Queries, userId: string, issuer: string): Promise<Identity | null> =>
  identities.get(db, 'WHERE user_id = :userId AND issuer = :issuer AND removed_at IS NULL', { userId, issuer });

/** Whether the person has a link, or removed one. */
export const hadIdentity = async (db: Queries, userId: string, issuer: string): Promise<boolean> =>
  (await identities.get(db, 'WHERE user_id = :userId AND issuer = :issuer', { userId, issuer })) !== null;

export async function touchIdentity(tx: Transaction, { issuer, subject }: Identity, now: number): Promise<void> {
  await identities.update(tx, { issuer, subject }, { lastUsedAt: now });
}

export async function removeIdentity(tx: Transaction, { issuer, subject }: Identity, now: number): Promise<void> {
  await identities.update(tx, { issuer, subject }, { removedAt: now });
}
