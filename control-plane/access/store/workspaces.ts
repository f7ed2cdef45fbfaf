import { int, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const workspaces = table('workspaces', {
  workspaceId: text(),
  accountId: int(),
  name: text(),
  createdAt: int(),
  /** Removed workspaces keep their row while old builds and keys refer to it. */
  removedAt: int().orNull.initially(null),
});
export type Workspace = Selected<typeof workspaces>;

export const insertWorkspace = workspaces.insert;

/** Oldest first, without removed ones: the one created with the account is first. */
export function listWorkspaces(db: Queries, accountId: number): Promise<Workspace[]> {
  return workspaces.all(db, 'WHERE account_id = :accountId AND removed_at IS NULL ORDER BY created_at, workspace_id', {
    accountId,
  });
}

const withOrganization = workspaces.and({ orgId: ['o.org_id', text()] });

/** With the public id of the organization it belongs to. */
export function findWorkspace(db: Queries, workspaceId: string): Promise<Selected<typeof withOrganization> | null> {
  return withOrganization.get(
    db,
    'JOIN organizations o ON o.id = workspaces.account_id WHERE workspace_id = :workspaceId',
    { workspaceId },
  );
}

export async function renameWorkspace(tx: Transaction, workspaceId: string, name: string): Promise<void> {
  await workspaces.update(tx, { workspaceId }, { name });
}

/** Marks the workspace as removed and renames it, so that its name can be used again. */
export async function markRemoved(tx: Transaction, { workspaceId, name }: Workspace, removedAt: number): Promise<void> {
  await workspaces.update(tx, { workspaceId }, { name: `${name} (${workspaceId})`, removedAt });
}

/** Deletes the row; throws ConstraintError while anything refers to it. */
export async function deleteWorkspace(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.run('DELETE FROM workspaces WHERE workspace_id = :workspaceId', { workspaceId });
}

/** Returns the number of keys of each workspace that are neither revoked nor expired. */
export async function countUsableKeys(
  db: Queries,
  accountId: number,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.all<{ workspace_id: string; n: number }>(
    `SELECT workspace_id, COUNT(*) AS n FROM api_keys WHERE account_id = :accountId
       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) GROUP BY workspace_id`,
    { accountId, now },
  );
  return new Map(rows.map((row) => [row.workspace_id, row.n]));
}
