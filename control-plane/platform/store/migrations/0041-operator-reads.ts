// Indexes over all accounts, for the lists and charts of operators.
import type { Migration } from '../migrate.js';

export const operatorReads: Migration = {
  id: 41,
  name: 'operator-reads',
  statements: [
    `CREATE INDEX builds_started ON builds (started_at, created_at, ended_at, status) WHERE started_at IS NOT NULL`,
    `CREATE INDEX orders_created ON orders (created_at, order_no)`,
  ],
};
