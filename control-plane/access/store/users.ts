import { text } from '../../platform/domain/fields.js';
import { type User, userFields } from '../../platform/domain/person.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { members } from './members.js';

/** The hash of a user without a password is null; such a person cannot sign in. */
export const users = table('users', userFields, { passwordHash: text().orNull });

/** Throws ConstraintError when the e-mail is taken. */
export const insertUser = users.insert;

export const insertMember = members.insert;

const withPassword = users.and({ passwordHash: ['users.password_hash', users.fields.passwordHash] });

export async function findUserByEmail(
  db: Queries,
  email: string,
): Promise<{ user: User; passwordHash: string | null } | null> {
  const found = await withPassword.get(db, 'WHERE email = :email', { email });
  if (!found) return null;
  const { passwordHash, ...user } = found;
  return { user, passwordHash };
}

export function getUser(db: Queries, userId: string): Promise<User | null> {
  return users.get(db, 'WHERE user_id = :userId', { userId });
}

export interface UserPage {
  /** Null: from the first on. */
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

/** Oldest first. */
export function listUsers(db: Queries, { after, limit }: UserPage): Promise<User[]> {
  const later = after === null ? '' : 'WHERE (created_at, user_id) > (:at, :id)';
  return users.all(db, `${later} ORDER BY created_at, user_id LIMIT :limit`, { limit, ...after });
}

/** The people who operate the service. */
export function listOperators(db: Queries): Promise<User[]> {
  return users.all(db, 'WHERE operator = 1 ORDER BY created_at, user_id');
}

export async function updateUser(
  tx: Transaction,
  userId: string,
  changes: Partial<Pick<User, 'name' | 'language'>>,
): Promise<void> {
  if (Object.keys(changes).length > 0) await users.update(tx, { userId }, changes);
}

export async function hasUsers(db: Queries): Promise<boolean> {
  return (await db.get('SELECT 1 FROM users LIMIT 1')) !== undefined;
}

/** @param from the hash that must still be stored (null: any); returns false if another one is */
export async function setPasswordHash(
  tx: Transaction,
  userId: string,
  passwordHash: string,
  from: string | null,
): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE users SET password_hash = :passwordHash
     WHERE user_id = :userId AND (:from IS NULL OR password_hash = :from)`,
    { userId, passwordHash, from },
  );
  return changes > 0;
}
