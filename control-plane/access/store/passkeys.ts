import { bool, bytes, int, strings, text } from '../../platform/domain/fields.js';
import { purgeOf } from '../../platform/store/purge.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const passkeys = table('passkeys', {
  passkeyId: text(),
  userId: text(),
  /** Given by the person. */
  name: text(),
  /** Base64url, of the authenticator. */
  credentialId: text(),
  /** In COSE. */
  publicKey: bytes(),
  /** Signatures so far, as the authenticator says; 0 for those that do not count. */
  counter: int(),
  /** How browsers reach the authenticator. */
  transports: strings(),
  /** Whether it is synchronized between devices. */
  backedUp: bool(),
  createdAt: int(),
  lastUsedAt: int().orNull.initially(null),
});
export type Passkey = Selected<typeof passkeys>;

/** Throws ConstraintError when the credential is registered already. */
export const insertPasskey = passkeys.insert;

/** Oldest first. */
export const listPasskeys = (db: Queries, userId: string): Promise<Passkey[]> =>
  passkeys.all(db, 'WHERE user_id = :userId ORDER BY created_at, passkey_id', { userId });

export const findPasskey = (db: Queries, credentialId: string): Promise<Passkey | null> =>
  passkeys.get(db, 'WHERE credential_id = :credentialId', { credentialId });

/** Returns the renamed passkey, or null when the person has no such one. */
export const renamePasskey = (
  tx: Transaction,
  { userId, passkeyId }: Pick<Passkey, 'userId' | 'passkeyId'>,
  name: string,
): Promise<Passkey | null> => passkeys.change(tx, { userId, passkeyId }, { name });

/** Returns the passkey that was deleted, or null. */
export const deletePasskey = (tx: Transaction, userId: string, passkeyId: string): Promise<Passkey | null> =>
  passkeys.getOf(
    tx,
    `DELETE FROM passkeys WHERE user_id = :userId AND passkey_id = :passkeyId RETURNING ${passkeys.columns}`,
    { userId, passkeyId },
  );

/** Records a use; false when the passkey was removed or used since it was read. */
export async function usePasskey(
  tx: Transaction,
  { passkeyId, counter }: Passkey,
  used: Pick<Passkey, 'counter' | 'backedUp' | 'lastUsedAt'>,
): Promise<boolean> {
  return (await passkeys.update(tx, { passkeyId, counter }, used)) > 0;
}

/** Challenges that were answered, until they expire: each is answered once. */
export const usedChallenges = table('used_challenges', { challengeHash: text(), expiresAt: int() });

/** Returns false for a challenge that was answered before. */
export const takeChallenge = usedChallenges.inserter({ onConflict: 'ON CONFLICT DO NOTHING' });

export const purgeChallenges = purgeOf('used_challenges', {
  key: 'challenge_hash',
  expired: 'expires_at <= :before',
  by: 'expires_at',
});
