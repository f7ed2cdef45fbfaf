// Orders that are paid with credit, and their entries in its ledger. Consent to such an order has no row of `payments`.
import type { Migration } from '../migrate.js';

export const creditPaymentsOfOrders: Migration = {
  id: 59,
  name: 'credit-payments',
  statements: [
    `CREATE TABLE credit_payments (
      order_no TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id TEXT NOT NULL REFERENCES users (user_id),
      amount_won INTEGER NOT NULL,
      credit_micro_usd INTEGER NOT NULL,
      fx_day TEXT NOT NULL,
      fx_source TEXT NOT NULL,
      krw_per_usd TEXT NOT NULL,
      returned_won INTEGER NOT NULL DEFAULT 0,
      paid_at INTEGER NOT NULL,
      UNIQUE (account_id, order_no))`,
    `CREATE TABLE ledger_of_credit (
      entry_id INTEGER PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      kind TEXT NOT NULL,
      micro_usd INTEGER NOT NULL,
      balance_micro_usd INTEGER NOT NULL,
      order_id TEXT,
      paid_order_no TEXT,
      krw INTEGER,
      reason TEXT,
      reference TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      FOREIGN KEY (account_id, order_id) REFERENCES top_ups (account_id, order_id),
      FOREIGN KEY (account_id, paid_order_no) REFERENCES credit_payments (account_id, order_no))`,
    `INSERT INTO ledger_of_credit
     SELECT entry_id, account_id, kind, micro_usd, balance_micro_usd, order_id, NULL, krw, reason, reference, at
     FROM credit_ledger`,
    'DROP TABLE credit_ledger',
    'ALTER TABLE ledger_of_credit RENAME TO credit_ledger',
    'CREATE INDEX credit_ledger_account ON credit_ledger (account_id, entry_id)',
    'CREATE INDEX credit_ledger_order ON credit_ledger (order_id) WHERE order_id IS NOT NULL',
    `CREATE TABLE consents_of_payers (
      order_no TEXT NOT NULL,
      user_id TEXT NOT NULL REFERENCES users (user_id),
      text_version TEXT NOT NULL,
      text_sha256 TEXT NOT NULL,
      ip TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (order_no, user_id, at))`,
    'INSERT INTO consents_of_payers SELECT order_no, user_id, text_version, text_sha256, ip, at FROM consents',
    'DROP TABLE consents',
    'ALTER TABLE consents_of_payers RENAME TO consents',
  ],
};
