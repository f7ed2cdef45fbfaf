// Up to when each member has read the notices of the organization.
import type { Migration } from '../migrate.js';

export const readNotices: Migration = {
  id: 40,
  name: 'read-notices',
  statements: [
    `CREATE TABLE notice_reads (
       account_id INTEGER NOT NULL REFERENCES organizations (id),
       user_id TEXT NOT NULL,
       read_until INTEGER NOT NULL,
       PRIMARY KEY (account_id, user_id),
       FOREIGN KEY (account_id, user_id) REFERENCES members (account_id, user_id) ON DELETE CASCADE
     )`,
  ],
};
