// Accounts at the identity provider that are linked to people.
import type { Migration } from '../migrate.js';

export const identitiesOfPeople: Migration = {
  id: 65,
  name: 'identities',
  statements: [
    `CREATE TABLE identities (
       issuer TEXT NOT NULL,
       subject TEXT NOT NULL,
       user_id TEXT NOT NULL REFERENCES users (user_id),
       email TEXT,
       created_at INTEGER NOT NULL,
       last_used_at INTEGER,
       removed_at INTEGER,
       PRIMARY KEY (issuer, subject)) WITHOUT ROWID`,
    'CREATE UNIQUE INDEX identities_user ON identities (user_id, issuer)',
  ],
};
