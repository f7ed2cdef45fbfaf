// A row of an account refers only to rows of the same account: references contain the account. Until now triggers
// checked workspaces, and nothing checked the others.
import type { Migration } from '../migrate.js';
import { type AccountReference, type AddedConstraints, rebuildTables } from '../rebuild-tables.js';

const workspace: AccountReference = ['workspace_id', 'workspaces', 'workspace_id'];
const build: AccountReference = ['build_id', 'builds', 'build_id'];
const order: AccountReference = ['order_no', 'orders', 'order_no'];
const mac = (column: string): AccountReference => [column, 'macs', 'rental_id'];

const account = true;
const added: Readonly<Record<string, AddedConstraints>> = {
  workspaces: { unique: ['workspace_id'] },
  api_keys: { references: [workspace] },
  uploads: { references: [workspace] },
  macs: { unique: ['rental_id'] },
  jobs: { references: [mac('rental_id')] },
  builds: { references: [workspace, mac('rental_id'), mac('pinned_rental_id')], unique: ['build_id'] },
  files: { references: [workspace, build] },
  events: { account, references: [build] },
  commit_statuses: { account, references: [build] },
  orders: { unique: ['order_no'] },
  holds: { account, references: [order, mac('rental_id')] },
  payments: { account, references: [order] },
  payment_cancellations: { account, references: [order] },
  ledger: { account, references: [order] },
  deliveries: { account },
  idempotency: { account },
  api_errors: { account },
  blobs: { account },
};

/** Replaces the workspace of another account by the first one of the row's account. Such keys are already revoked. */
const ownWorkspace = (table: string) =>
  `UPDATE ${table} SET workspace_id = (SELECT w.workspace_id FROM workspaces w WHERE w.account_id = ${table}.account_id
     ORDER BY w.created_at, w.workspace_id LIMIT 1)
   WHERE workspace_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workspaces w
     WHERE w.workspace_id = ${table}.workspace_id AND w.account_id = ${table}.account_id)`;

export const rowsOfOneAccount: Migration = {
  id: 15,
  name: 'rows-of-one-account',
  statements: async (q) => [
    ...['api_keys', 'uploads', 'builds', 'files'].map(ownWorkspace),
    ...(await rebuildTables(q, added, (trigger) => /_workspace_(insert|update)$/.test(trigger))),
  ],
};
