// What each account has stored, and how much of that each build's log and each upload's manifest is.
import type { Migration } from '../migrate.js';

export const accountUsage: Migration = {
  id: 17,
  name: 'account-usage',
  statements: [
    `CREATE TABLE account_usage (
      account_id INTEGER PRIMARY KEY REFERENCES organizations (id),
      contents_bytes INTEGER NOT NULL DEFAULT 0,
      artifacts_bytes INTEGER NOT NULL DEFAULT 0,
      logs_bytes INTEGER NOT NULL DEFAULT 0,
      changes INTEGER NOT NULL DEFAULT 0)`,
    // Manifests of uploads that exist already count nothing: the uploads expire within days.
    `ALTER TABLE uploads ADD COLUMN manifest_bytes INTEGER NOT NULL DEFAULT 0`,
    // Null until the log is counted, which happens soon after the end of the build.
    `ALTER TABLE builds ADD COLUMN log_bytes INTEGER`,
    // What the log may become; null before the build starts, and again once the log is counted.
    `ALTER TABLE builds ADD COLUMN log_limit INTEGER`,
    `CREATE INDEX builds_log_uncounted ON builds (seq) WHERE log_bytes IS NULL AND ended_at IS NOT NULL`,
    `CREATE INDEX builds_log_limit ON builds (account_id, log_limit) WHERE log_limit IS NOT NULL`,
    `INSERT INTO account_usage (account_id, contents_bytes, artifacts_bytes)
       SELECT o.id, COALESCE(b.bytes, 0), COALESCE(f.bytes, 0) FROM organizations o
       LEFT JOIN (SELECT account_id, SUM(size) AS bytes FROM blobs GROUP BY account_id) b ON b.account_id = o.id
       LEFT JOIN (SELECT account_id, SUM(bytes) AS bytes FROM files GROUP BY account_id) f ON f.account_id = o.id`,
  ],
};
