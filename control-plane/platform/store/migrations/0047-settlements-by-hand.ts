import type { Migration } from '../migrate.js';

/** What operators have to settle with the provider; until now it followed from the payments and could not be closed. */
export const settlementsByHand: Migration = {
  id: 47,
  name: 'settlements-by-hand',
  statements: [
    `CREATE TABLE manual_settlements (
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      order_no TEXT NOT NULL,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      amount_won INTEGER,
      created_at INTEGER NOT NULL,
      settled_at INTEGER,
      settled_by TEXT,
      note TEXT)`,
    'CREATE INDEX manual_settlements_open ON manual_settlements (created_at) WHERE settled_at IS NULL',
    'CREATE INDEX manual_settlements_created ON manual_settlements (created_at, id)',
    'CREATE INDEX manual_settlements_order ON manual_settlements (order_no)',
    `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
      SELECT p.order_no, 'over_returned', p.order_no, p.account_id, -SUM(l.amount_won), MAX(l.at)
      FROM payments p JOIN ledger l ON l.order_no = p.order_no
      WHERE p.cancelled_won > 0 GROUP BY p.order_no HAVING SUM(l.amount_won) < 0`,
    `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
      SELECT cancellation_id, 'refused', order_no, account_id, amount_won, COALESCE(ended_at, created_at)
      FROM payment_cancellations c WHERE status = 'failed' AND NOT EXISTS (
        SELECT 1 FROM payments p WHERE p.order_no = c.order_no AND p.cancelled_won >= p.amount_won)`,
  ],
};
