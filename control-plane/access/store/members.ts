import type { Account } from '../../platform/domain/caller.js';
import { int, text } from '../../platform/domain/fields.js';
import type { Membership } from '../../platform/domain/person.js';
import type { Role } from '../../platform/domain/role.js';
import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { organizations } from './organizations.js';

export const members = table('members', {
  accountId: int(),
  userId: text(),
  role: text<Role>(),
  joinedAt: int(),
});

const joined = organizations.and({ role: ['m.role', members.fields.role] });
const OF_USER = 'JOIN members m ON m.account_id = organizations.id WHERE m.user_id = :userId';

const toMembership = ({ role, ...account }: Account & { role: Role }): Membership => ({ account, role });

export async function findMembership(db: Queries, userId: string, orgId: string): Promise<Membership | null> {
  const found = await joined.get(db, `${OF_USER} AND organizations.org_id = :orgId`, { userId, orgId });
  return found && toMembership(found);
}

/** By name. */
export async function listMemberships(db: Queries, userId: string): Promise<Membership[]> {
  const found = await joined.all(db, `${OF_USER} ORDER BY organizations.name, organizations.id`, { userId });
  return found.map(toMembership);
}

/** Addresses of the people who run the account: its owners and admins. */
export async function listAdminEmails(db: Queries, accountId: number): Promise<string[]> {
  const rows = await db.all<{ email: string }>(
    `SELECT u.email FROM members m JOIN users u ON u.user_id = m.user_id
     WHERE m.account_id = :accountId AND m.role IN ('owner', 'admin') ORDER BY u.email`,
    { accountId },
  );
  return rows.map(({ email }) => email);
}
