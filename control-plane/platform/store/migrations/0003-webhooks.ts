// Webhooks, what is delivered to them and to builds' notify_url, and statuses of commits at code hosts.
import type { Migration } from '../migrate.js';

export const webhooks: Migration = {
  id: 3,
  name: 'webhooks',
  statements: [
    `CREATE TABLE webhooks (
      webhook_id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      status TEXT NOT NULL,
      disabled_reason TEXT,
      secret BLOB NOT NULL,
      previous_secret BLOB,
      previous_until INTEGER,
      test TEXT NOT NULL,
      created_at INTEGER NOT NULL)`,
    `CREATE INDEX webhooks_account ON webhooks (account_id, created_at)`,
    // One row per event and receiver: a webhook, or a build whose notify_url it is. `due_at` is null while an
    // earlier event of the build waits for the same receiver; a claimed row falls due when its claim runs out.
    // What shares a lane shares a receiving server, as far as can be told.
    `CREATE TABLE deliveries (
      seq INTEGER PRIMARY KEY,
      delivery_id TEXT NOT NULL UNIQUE,
      account_id INTEGER NOT NULL,
      receiver TEXT NOT NULL,
      lane TEXT NOT NULL,
      build_id TEXT NOT NULL,
      event_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      status TEXT NOT NULL,
      attempt INTEGER NOT NULL DEFAULT 0,
      tries INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER,
      claimed INTEGER NOT NULL DEFAULT 0,
      http_status INTEGER,
      error TEXT,
      request TEXT,
      response TEXT,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      UNIQUE (event_id, receiver))`,
    `CREATE INDEX deliveries_receiver ON deliveries (receiver, seq)`,
    `CREATE INDEX deliveries_order ON deliveries (receiver, build_id, seq) WHERE status = 'pending'`,
    `CREATE INDEX deliveries_lane ON deliveries (lane, due_at) WHERE status = 'pending' AND due_at IS NOT NULL`,
    `CREATE INDEX deliveries_due ON deliveries (due_at) WHERE status = 'pending' AND due_at IS NOT NULL`,
    `CREATE INDEX events_account ON events (account_id, occurred_at)`,
    // What the code host is still to be told about a build's commit.
    `CREATE TABLE commit_statuses (
      build_id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL,
      wanted TEXT NOT NULL,
      tries INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER,
      created_at INTEGER NOT NULL)`,
    `CREATE INDEX commit_statuses_due ON commit_statuses (due_at) WHERE due_at IS NOT NULL`,
    `ALTER TABLE builds ADD COLUMN commit_state TEXT`,
    `ALTER TABLE builds ADD COLUMN commit_state_error TEXT`,
  ],
};
