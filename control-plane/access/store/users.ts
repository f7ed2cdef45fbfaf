import type { User } from '../../platform/domain/person.js';
import type { Role } from '../../platform/domain/role.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';

export interface UserRow {
  user_id: string;
  email: string;
  name: string | null;
  password_hash: string | null;
  operator: number;
  created_at: number;
}

export const userFromRow = (row: UserRow): User => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  operator: row.operator === 1,
  createdAt: row.created_at,
});

/** Throws ConstraintError when the e-mail is taken. */
export async function insertUser(
  tx: Transaction,
  user: {
    userId: string;
    email: string;
    name: string | null;
    passwordHash: string | null;
    operator: boolean;
    now: number;
  },
): Promise<void> {
  await tx.run(
    `INSERT INTO users (user_id, email, name, password_hash, operator, created_at)
     VALUES (:userId, :email, :name, :passwordHash, :operator, :now)`,
    { ...user, operator: user.operator ? 1 : 0 },
  );
}

export async function insertMember(
  tx: Transaction,
  member: { accountId: number; userId: string; role: Role; now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO members (account_id, user_id, role, joined_at) VALUES (:accountId, :userId, :role, :now)`,
    member,
  );
}

/** `passwordHash` null: the person has no password and cannot sign in. */
export async function findUserByEmail(
  db: Queries,
  email: string,
): Promise<{ user: User; passwordHash: string | null } | null> {
  const row = await db.get<UserRow>('SELECT * FROM users WHERE email = :email', { email });
  return row ? { user: userFromRow(row), passwordHash: row.password_hash } : null;
}

export async function listUsers(db: Queries): Promise<User[]> {
  return (await db.all<UserRow>('SELECT * FROM users ORDER BY created_at, user_id')).map(userFromRow);
}

export async function hasUsers(db: Queries): Promise<boolean> {
  return (await db.get('SELECT 1 FROM users LIMIT 1')) !== undefined;
}

/** @param from what must be stored still (null: no matter what); false when it is not */
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
