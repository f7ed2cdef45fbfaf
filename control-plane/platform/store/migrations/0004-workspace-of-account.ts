// A row that names an account and a workspace names a workspace of that account. Keys that were made for another
// account's workspace are revoked.
import type { Migration } from '../migrate.js';

const tables = ['api_keys', 'uploads', 'builds', 'files'];

const foreign = (row: string) =>
  `${row}workspace_id IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM workspaces w WHERE w.workspace_id = ${row}workspace_id AND w.account_id = ${row}account_id)`;

const guard = (table: string, event: 'INSERT' | 'UPDATE OF account_id, workspace_id') =>
  `CREATE TRIGGER ${table}_workspace_${event === 'INSERT' ? 'insert' : 'update'}
   BEFORE ${event} ON ${table} WHEN ${foreign('NEW.')}
   BEGIN SELECT RAISE(ABORT, 'the workspace belongs to another account'); END`;

export const workspaceOfAccount: Migration = {
  id: 4,
  name: 'workspace-of-account',
  statements: [
    `UPDATE api_keys SET revoked_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000, revoked_reason = 'manual'
     WHERE revoked_at IS NULL AND ${foreign('api_keys.')}`,
    ...tables.flatMap((table) => [
      guard(table, 'INSERT'),
      guard(table, 'UPDATE OF account_id, workspace_id'),
    ]),
  ],
};
