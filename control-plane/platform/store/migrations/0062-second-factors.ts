// A second factor of people: the secret of an authenticator app, and recovery codes.
import type { Migration } from '../migrate.js';

export const secondFactors: Migration = {
  id: 62,
  name: 'second-factors',
  statements: [
    `CREATE TABLE totp_secrets (
       user_id TEXT PRIMARY KEY REFERENCES users (user_id),
       sealed BLOB NOT NULL,
       on_since INTEGER,
       used_step INTEGER NOT NULL DEFAULT 0,
       failures INTEGER NOT NULL DEFAULT 0,
       failed_at INTEGER NOT NULL DEFAULT 0,
       created_at INTEGER NOT NULL)`,
    `CREATE TABLE recovery_codes (
       user_id TEXT NOT NULL REFERENCES users (user_id),
       code_hash TEXT NOT NULL,
       PRIMARY KEY (user_id, code_hash))`,
  ],
};
