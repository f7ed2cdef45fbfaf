import type { Membership } from '../../platform/domain/person.js';
import type { Role } from '../../platform/domain/role.js';
import type { Queries } from '../../platform/store/sql.js';
import { type AccountRow, toAccount } from './organizations.js';

type Row = AccountRow & { role: Role };

const fromRow = (row: Row): Membership => ({ account: toAccount(row), role: row.role });

const MEMBERSHIPS = `SELECT o.*, m.role FROM members m JOIN organizations o ON o.id = m.account_id
  WHERE m.user_id = :userId`;

export async function findMembership(db: Queries, userId: string, orgId: string): Promise<Membership | null> {
  const row = await db.get<Row>(`${MEMBERSHIPS} AND o.org_id = :orgId`, { userId, orgId });
  return row ? fromRow(row) : null;
}

/** By name. */
export async function listMemberships(db: Queries, userId: string): Promise<Membership[]> {
  return (await db.all<Row>(`${MEMBERSHIPS} ORDER BY o.name, o.id`, { userId })).map(fromRow);
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
