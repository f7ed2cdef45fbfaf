// Unpaid orders are counted per account, and those that ended unpaid too.
import type { Migration } from '../migrate.js';

export const unpaidOrders: Migration = {
  id: 16,
  name: 'unpaid-orders',
  statements: [
    `DROP INDEX orders_unpaid_key`,
    `CREATE INDEX orders_unpaid_account ON orders (account_id) WHERE status = 'awaiting_payment'`,
    `CREATE INDEX orders_ended_unpaid ON orders (account_id, ended_at) WHERE paid_at IS NULL`,
  ],
};
