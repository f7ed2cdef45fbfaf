// Retention, and indexes that keep lists fast with a long history.
import type { Migration } from '../migrate.js';

export const retention: Migration = {
  id: 18,
  name: 'retention',
  statements: [
    `UPDATE builds SET ended_at = created_at WHERE ended_at IS NULL AND status NOT IN ('queued', 'running')`,
    `ALTER TABLE builds ADD COLUMN log_deleted_at INTEGER`,
    `CREATE INDEX builds_logs ON builds (account_id, ended_at) WHERE log_deleted_at IS NULL AND ended_at IS NOT NULL`,
    // Lists are ordered by the time of creation, so that a period is a range of each index.
    `DROP INDEX builds_account`,
    `CREATE INDEX builds_created ON builds (account_id, created_at, seq)`,
    `CREATE INDEX builds_open ON builds (account_id, created_at, seq) WHERE ended_at IS NULL`,
    `CREATE INDEX builds_status ON builds (account_id, status, created_at, seq) WHERE ended_at IS NOT NULL`,
    // At most one of the two is given.
    `CREATE INDEX builds_repo ON builds (account_id, COALESCE(repo, repo_url), created_at, seq)
       WHERE COALESCE(repo, repo_url) IS NOT NULL`,
    `CREATE INDEX builds_pr ON builds (account_id, pr, created_at, seq) WHERE pr IS NOT NULL`,
    // A pinned build runs on no other Mac.
    `CREATE INDEX builds_mac ON builds (account_id, COALESCE(rental_id, pinned_rental_id), created_at, seq)
       WHERE COALESCE(rental_id, pinned_rental_id) IS NOT NULL`,
    `DROP INDEX deliveries_receiver`,
    `CREATE INDEX deliveries_receiver ON deliveries (receiver, created_at, seq)`,
    `CREATE INDEX deliveries_status ON deliveries (receiver, status, created_at, seq)`,
    `CREATE INDEX deliveries_ended ON deliveries (created_at) WHERE status <> 'pending'`,
    `CREATE INDEX api_errors_age ON api_errors (at)`,
    `CREATE INDEX mails_ended ON mails (created_at) WHERE next_attempt_at IS NULL`,
    `CREATE INDEX notices_age ON notices (created_at) WHERE mail_pending = 0`,
    `CREATE INDEX host_enrolments_expiry ON host_enrolments (expires_at)`,
    `CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX waitlist_ended ON waitlist (created_at) WHERE status <> 'waiting'`,
  ],
};
