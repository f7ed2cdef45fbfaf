// Passkeys of people, and the challenges that were answered with them.
import type { Migration } from '../migrate.js';

export const passkeysOfPeople: Migration = {
  id: 63,
  name: 'passkeys',
  statements: [
    `CREATE TABLE passkeys (
       passkey_id TEXT PRIMARY KEY,
       user_id TEXT NOT NULL REFERENCES users (user_id),
       name TEXT NOT NULL,
       credential_id TEXT NOT NULL UNIQUE,
       public_key BLOB NOT NULL,
       counter INTEGER NOT NULL,
       transports TEXT NOT NULL,
       backed_up INTEGER NOT NULL,
       created_at INTEGER NOT NULL,
       last_used_at INTEGER)`,
    'CREATE INDEX passkeys_user ON passkeys (user_id)',
    `CREATE TABLE used_challenges (
       challenge_hash TEXT PRIMARY KEY,
       expires_at INTEGER NOT NULL)`,
    'CREATE INDEX used_challenges_expiry ON used_challenges (expires_at)',
  ],
};
