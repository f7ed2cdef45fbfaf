import type { Role } from '../domain/role.js';
import type { Transaction } from './sql.js';

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
