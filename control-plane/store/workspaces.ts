import type { Queries, Transaction } from './sql.js';

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
