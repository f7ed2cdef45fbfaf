import type { Migration } from '../migrate.js';

/** Several workspaces in an organization, which can be removed, and the workspaces that members see. */
export const severalWorkspaces: Migration = {
  id: 21,
  name: 'several-workspaces',
  statements: [
    `ALTER TABLE workspaces ADD COLUMN removed_at INTEGER`,
    // Of developers: owners and admins see all workspaces.
    `CREATE TABLE member_workspaces (
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      PRIMARY KEY (account_id, user_id, workspace_id),
      FOREIGN KEY (account_id, user_id) REFERENCES members (account_id, user_id),
      FOREIGN KEY (account_id, workspace_id) REFERENCES workspaces (account_id, workspace_id))`,
    `CREATE INDEX member_workspaces_workspace ON member_workspaces (workspace_id)`,
    `INSERT INTO member_workspaces (account_id, user_id, workspace_id)
       SELECT m.account_id, m.user_id, w.workspace_id FROM members m JOIN workspaces w USING (account_id)
       WHERE m.role = 'developer'`,
    // The newest builds of a workspace.
    `CREATE INDEX builds_workspace ON builds (account_id, workspace_id, created_at, seq)`,
  ],
};
