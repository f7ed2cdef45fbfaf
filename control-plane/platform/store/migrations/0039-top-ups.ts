// Top-ups, credit and exchange rates. Payments, their cancellations, the ledger and consents are of an order or of a
// top-up: what they have in common refers to the payment instead of the order.
import type { Migration } from '../migrate.js';

const ofPayment = 'FOREIGN KEY (account_id, order_no) REFERENCES new_payments (account_id, order_no)';
const changed = ['payments', 'payment_cancellations', 'ledger', 'consents'];

const columns = {
  payments: `order_no, account_id, provider, status, amount_won, tx_id, method, receipt_url, failure_code, paid_at,
    cancelled_won, asked_at, attempts, fetch_at, created_at, updated_at`,
  payment_cancellations: `cancellation_id, order_no, account_id, amount_won, reason, status, provider_ref, last_error,
    attempts, refusals, next_attempt_at, created_at, ended_at`,
  ledger: 'entry_id, account_id, order_no, kind, amount_won, reference, at',
  consents: 'order_no, user_id, text_version, text_sha256, ip, at',
};

const copied = (name: Exclude<keyof typeof columns, 'payments'>) =>
  `INSERT INTO new_${name} (${columns[name]}) SELECT ${columns[name]} FROM ${name}`;

export const topUps: Migration = {
  id: 39,
  name: 'top-ups',
  statements: [
    `CREATE TABLE new_payments (
      order_no TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      kind TEXT NOT NULL,
      provider TEXT NOT NULL,
      status TEXT NOT NULL,
      amount_won INTEGER NOT NULL,
      tx_id TEXT,
      method TEXT,
      receipt_url TEXT,
      failure_code TEXT,
      paid_at INTEGER,
      cancelled_won INTEGER NOT NULL DEFAULT 0,
      asked_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,
      fetch_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (account_id, order_no))`,
    // A cancellation is kept without a payment too, so that it shows. credit_micro_usd: reserved until the money has gone; null for orders and for money that bought no credit.
    `CREATE TABLE new_payment_cancellations (
      cancellation_id TEXT PRIMARY KEY,
      order_no TEXT NOT NULL,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      amount_won INTEGER,
      credit_micro_usd INTEGER,
      reason TEXT NOT NULL,
      status TEXT NOT NULL,
      provider_ref TEXT,
      last_error TEXT,
      attempts INTEGER NOT NULL DEFAULT 0,
      refusals INTEGER NOT NULL DEFAULT 0,
      next_attempt_at INTEGER,
      created_at INTEGER NOT NULL,
      ended_at INTEGER)`,
    `CREATE TABLE new_ledger (
      entry_id INTEGER PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      order_no TEXT NOT NULL,
      kind TEXT NOT NULL,
      amount_won INTEGER NOT NULL,
      reference TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      ${ofPayment})`,
    `CREATE TABLE new_consents (
      order_no TEXT NOT NULL REFERENCES new_payments (order_no),
      user_id TEXT NOT NULL REFERENCES users (user_id),
      text_version TEXT NOT NULL,
      text_sha256 TEXT NOT NULL,
      ip TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (order_no, user_id, at))`,
    `INSERT INTO new_payments (kind, ${columns.payments}) SELECT 'order', ${columns.payments} FROM payments`,
    ...(['payment_cancellations', 'ledger', 'consents'] as const).map(copied),
    ...changed.toReversed().map((name) => `DROP TABLE ${name}`),
    ...changed.map((name) => `ALTER TABLE new_${name} RENAME TO ${name}`),
    'CREATE INDEX payments_fetch ON payments (fetch_at) WHERE fetch_at IS NOT NULL',
    'CREATE INDEX payment_cancellations_order ON payment_cancellations (order_no)',
    'CREATE INDEX payment_cancellations_due ON payment_cancellations (next_attempt_at) WHERE next_attempt_at IS NOT NULL',
    `CREATE INDEX payment_cancellations_credit ON payment_cancellations (account_id)
      WHERE status = 'open' AND credit_micro_usd IS NOT NULL`,
    'CREATE INDEX ledger_order ON ledger (order_no)',
    `CREATE TABLE top_ups (
      order_id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      user_id TEXT NOT NULL REFERENCES users (user_id),
      state TEXT NOT NULL,
      usd INTEGER NOT NULL,
      credit_micro_usd INTEGER NOT NULL,
      amount_won INTEGER NOT NULL,
      fx_day TEXT NOT NULL,
      fx_source TEXT NOT NULL,
      krw_per_usd TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      UNIQUE (account_id, order_id),
      FOREIGN KEY (account_id, order_id) REFERENCES payments (account_id, order_no))`,
    'CREATE INDEX top_ups_account ON top_ups (account_id, created_at, order_id)',
    `CREATE INDEX top_ups_open ON top_ups (expires_at) WHERE state = 'open'`,
    `CREATE INDEX top_ups_open_of ON top_ups (account_id) WHERE state = 'open'`,
    // What changed an account's credit, once each. Rows are only added.
    `CREATE TABLE credit_ledger (
      entry_id INTEGER PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      kind TEXT NOT NULL,
      micro_usd INTEGER NOT NULL,
      balance_micro_usd INTEGER NOT NULL,
      order_id TEXT,
      krw INTEGER,
      reason TEXT,
      reference TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      FOREIGN KEY (account_id, order_id) REFERENCES top_ups (account_id, order_id))`,
    'CREATE INDEX credit_ledger_account ON credit_ledger (account_id, entry_id)',
    'CREATE INDEX credit_ledger_order ON credit_ledger (order_id) WHERE order_id IS NOT NULL',
    `CREATE TABLE exchange_rates (
      source TEXT NOT NULL,
      fx_day TEXT NOT NULL,
      krw_per_usd TEXT NOT NULL,
      fetched_at INTEGER NOT NULL,
      PRIMARY KEY (source, fx_day))`,
  ],
};
