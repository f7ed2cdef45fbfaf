// Tokens that enroll several hosts, and machines that wait for approval. A host keeps what its token said, so that
// tokens can be deleted when they expire.
import type { Migration } from '../migrate.js';

export const enrolment: Migration = {
  id: 31,
  name: 'enrolment',
  statements: [
    `ALTER TABLE hosts ADD COLUMN enrolment_id TEXT`,
    `ALTER TABLE hosts ADD COLUMN enrolled_slots INTEGER NOT NULL DEFAULT 0`,
    `UPDATE hosts SET enrolled_slots =
       COALESCE((SELECT e.slots FROM host_enrolments e WHERE e.host_id = hosts.host_id), 0)`,
    `CREATE TABLE enrolment_tokens (
      token_hash TEXT PRIMARY KEY,
      enrolment_id TEXT NOT NULL UNIQUE,
      name TEXT,
      tier TEXT REFERENCES tiers (tier),
      slots INTEGER NOT NULL,
      labels TEXT NOT NULL DEFAULT '{}',
      reusable INTEGER NOT NULL,
      uses INTEGER NOT NULL,
      used INTEGER NOT NULL DEFAULT 0,
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER,
      created_at INTEGER NOT NULL)`,
    `INSERT INTO enrolment_tokens (token_hash, enrolment_id, name, tier, slots, reusable, uses, used, expires_at, created_at)
       SELECT token_hash, 'enr_' || SUBSTR(token_hash, 1, 16), name, tier, slots, 0, 1,
         CASE WHEN host_id IS NULL THEN 0 ELSE 1 END, expires_at, created_at FROM host_enrolments`,
    `DROP TABLE host_enrolments`,
    `CREATE INDEX enrolment_tokens_expiry ON enrolment_tokens (expires_at)`,
    `CREATE TABLE host_approvals (
      credential_hash TEXT PRIMARY KEY,
      code TEXT NOT NULL,
      name TEXT NOT NULL,
      ip TEXT NOT NULL,
      os TEXT NOT NULL,
      chip TEXT NOT NULL,
      agent_version TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL)`,
    `CREATE INDEX host_approvals_expiry ON host_approvals (expires_at)`,
  ],
};
