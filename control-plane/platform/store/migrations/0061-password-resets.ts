// Links with which people choose a new password. Of each person only the newest works.
import type { Migration } from '../migrate.js';

export const passwordResets: Migration = {
  id: 61,
  name: 'password-resets',
  statements: [
    `CREATE TABLE password_resets (
      token_hash TEXT PRIMARY KEY,
      user_id TEXT NOT NULL UNIQUE REFERENCES users (user_id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL)`,
    'CREATE INDEX password_resets_expiry ON password_resets (expires_at)',
  ],
};
