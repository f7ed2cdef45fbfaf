import { int, text } from '../../platform/domain/fields.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const workspaces = table('workspaces', {
  workspaceId: text(),
  accountId: int(),
  name: text(),
  createdAt: int(),
});
export type Workspace = Selected<typeof workspaces>;

export const insertWorkspace = workspaces.insert;

/** Oldest first: the one created with the account is first. */
export function listWorkspaces(db: Queries, accountId: number): Promise<Workspace[]> {
  return workspaces.all(db, 'WHERE account_id = :accountId ORDER BY created_at, workspace_id', { accountId });
}

const withOrganization = workspaces.and({ orgId: ['o.org_id', text()] });

/** With the public id of the organization it belongs to. */
export function findWorkspace(
  db: Queries,
  workspaceId: string,
): Promise<Selected<typeof withOrganization> | null> {
  return withOrganization.get(
    db,
    'JOIN organizations o ON o.id = workspaces.account_id WHERE workspace_id = :workspaceId',
    { workspaceId },
  );
}
