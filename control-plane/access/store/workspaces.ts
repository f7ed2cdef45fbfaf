import type { Queries, Transaction } from '../../platform/store/sql.js';

export interface Workspace {
  readonly workspaceId: string;
  readonly accountId: number;
  readonly name: string;
  readonly createdAt: number;
}

interface Row {
  workspace_id: string;
  account_id: number;
  name: string;
  created_at: number;
}

const fromRow = (row: Row): Workspace => ({
  workspaceId: row.workspace_id,
  accountId: row.account_id,
  name: row.name,
  createdAt: row.created_at,
});

export async function insertWorkspace(
  tx: Transaction,
  workspace: { workspaceId: string; accountId: number; name: string; now: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO workspaces (workspace_id, account_id, name, created_at)
     VALUES (:workspaceId, :accountId, :name, :now)`,
    workspace,
  );
}

/** Oldest first: the one made with the account stands first. */
export async function listWorkspaces(db: Queries, accountId: number): Promise<Workspace[]> {
  const rows = await db.all<Row>(
    'SELECT * FROM workspaces WHERE account_id = :accountId ORDER BY created_at, workspace_id',
    { accountId },
  );
  return rows.map(fromRow);
}

/** With the public id of the organization it belongs to. */
export async function findWorkspace(
  db: Queries,
  workspaceId: string,
): Promise<(Workspace & { orgId: string }) | null> {
  const row = await db.get<Row & { org_id: string }>(
    `SELECT w.*, o.org_id FROM workspaces w JOIN organizations o ON o.id = w.account_id
     WHERE w.workspace_id = :workspaceId`,
    { workspaceId },
  );
  return row ? { ...fromRow(row), orgId: row.org_id } : null;
}
