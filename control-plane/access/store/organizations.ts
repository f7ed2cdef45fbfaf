import type { AccountLimitChanges } from '../../platform/domain/account-limits.js';
import { type Account, accountFields } from '../../platform/domain/caller.js';
import { int } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

/** An account with the fields that only operators see. */
export const organizations = table('organizations', { ...accountFields, createdAt: int() });
export type Organization = Selected<typeof organizations>;

/** Throws ConstraintError when the slug is taken. */
export const insertOrganization = organizations.insert;

/** By public id (`org_…`), slug or numeric id. */
export function findOrganization(db: Queries, text: string): Promise<Organization | null> {
  return organizations.get(
    db,
    `WHERE org_id = :text OR slug = :text OR CAST(id AS TEXT) = :text
     ORDER BY CASE WHEN org_id = :text THEN 0 WHEN slug = :text THEN 1 ELSE 2 END LIMIT 1`,
    { text },
  );
}

/** Returns the account in any status, or null. */
export function getOrganization(db: Queries, id: number): Promise<Organization | null> {
  return organizations.get(db, 'WHERE id = :id', { id });
}

/** Every account, also suspended and closed ones. */
export function listOrganizations(db: Queries): Promise<Organization[]> {
  return organizations.all(db, 'ORDER BY id');
}

export async function setOrganizationStatus(tx: Transaction, id: number, status: Account['status']): Promise<void> {
  await organizations.update(tx, { id }, { status });
}

export async function setPaymentsBlocked(tx: Transaction, id: number, blocked: boolean): Promise<void> {
  await organizations.update(tx, { id }, { paymentsBlocked: blocked });
}

export async function setAccountLimits(tx: Transaction, id: number, limits: AccountLimitChanges): Promise<void> {
  await organizations.update(tx, { id }, { limits });
}
