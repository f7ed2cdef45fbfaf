import type { Migration } from '../migrate.js';

/** Invitations; who created a key, and where a leaked key was found. */
export const people: Migration = {
  id: 42,
  name: 'people',
  statements: [
    `CREATE TABLE invites (
      invite_id TEXT PRIMARY KEY,
      account_id INTEGER NOT NULL REFERENCES organizations (id),
      email TEXT NOT NULL,
      role TEXT NOT NULL,
      workspace_ids TEXT NOT NULL,
      token_hash TEXT NOT NULL UNIQUE,
      invited_by TEXT REFERENCES users (user_id),
      closed_at INTEGER,
      expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL)`,
    `CREATE INDEX invites_account ON invites (account_id, created_at)`,
    `CREATE INDEX invites_email ON invites (email, created_at)`,
    `CREATE INDEX invites_expiry ON invites (expires_at)`,
    `ALTER TABLE api_keys ADD COLUMN created_by TEXT REFERENCES users (user_id)`,
    `ALTER TABLE api_keys ADD COLUMN leaked_url TEXT`,
  ],
};
