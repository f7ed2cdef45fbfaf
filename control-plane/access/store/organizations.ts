import type { Account } from '../../platform/domain/caller.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { bumpAccessRevision } from './access-revision.js';

/** An account with what only its operator needs to see. */
export interface Organization extends Account {
  readonly createdAt: number;
}

/** What of an organization's row every query of accounts selects. */
export interface AccountRow {
  id: number;
  org_id: string;
  name: string;
  slug: string;
  status: Account['status'];
  payments_blocked: number;
}

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  slug: row.slug,
  status: row.status,
  paymentsBlocked: row.payments_blocked === 1,
});

type Row = AccountRow & { created_at: number };

const fromRow = (row: Row): Organization => ({ ...toAccount(row), createdAt: row.created_at });

/** Throws ConstraintError when the slug is taken. */
export async function insertOrganization(
  tx: Transaction,
  organization: { orgId: string; name: string; slug: string; now: number },
): Promise<Organization> {
  const row = await tx.get<Row>(
    `INSERT INTO organizations (org_id, name, slug, status, created_at)
     VALUES (:orgId, :name, :slug, 'active', :now) RETURNING *`,
    organization,
  );
  if (!row) throw new Error('the insert returned no row');
  return fromRow(row);
}

/** By public id (`org_…`), slug or numeric id, whichever the text is. */
export async function findOrganization(db: Queries, text: string): Promise<Organization | null> {
  const row = await db.get<Row>(
    `SELECT * FROM organizations WHERE org_id = :text OR slug = :text OR CAST(id AS TEXT) = :text
     ORDER BY CASE WHEN org_id = :text THEN 0 WHEN slug = :text THEN 1 ELSE 2 END LIMIT 1`,
    { text },
  );
  return row ? fromRow(row) : null;
}

export async function getOrganization(db: Queries, id: number): Promise<Organization | null> {
  const row = await db.get<Row>('SELECT * FROM organizations WHERE id = :id', { id });
  return row ? fromRow(row) : null;
}

export async function listOrganizations(db: Queries): Promise<Organization[]> {
  return (await db.all<Row>('SELECT * FROM organizations ORDER BY id')).map(fromRow);
}

export async function setOrganizationStatus(
  tx: Transaction,
  id: number,
  status: Account['status'],
): Promise<void> {
  await tx.run('UPDATE organizations SET status = :status WHERE id = :id', { id, status });
  await bumpAccessRevision(tx);
}

export async function setPaymentsBlocked(tx: Transaction, id: number, blocked: boolean): Promise<void> {
  await tx.run('UPDATE organizations SET payments_blocked = :blocked WHERE id = :id', {
    id,
    blocked: blocked ? 1 : 0,
  });
  await bumpAccessRevision(tx);
}
