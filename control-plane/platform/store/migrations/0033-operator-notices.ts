// Problems of hosts and capacity, and the notices to operators about them.
import type { Migration } from '../migrate.js';

export const operatorNotices: Migration = {
  id: 33,
  name: 'operator-notices',
  statements: [
    `CREATE TABLE operator_problems (
       kind TEXT NOT NULL,
       subject TEXT NOT NULL,
       name TEXT NOT NULL,
       message TEXT NOT NULL,
       seen_at INTEGER,
       begun_at INTEGER,
       gone_at INTEGER,
       times INTEGER NOT NULL,
       ended_at INTEGER,
       PRIMARY KEY (kind, subject)
     )`,
    `CREATE TABLE operator_notices (
       seq INTEGER PRIMARY KEY,
       notice_id TEXT NOT NULL UNIQUE,
       kind TEXT NOT NULL,
       resolved INTEGER NOT NULL,
       problems TEXT NOT NULL,
       created_at INTEGER NOT NULL,
       announced INTEGER NOT NULL,
       mail_ids TEXT NOT NULL,
       webhook TEXT NOT NULL,
       attempts INTEGER NOT NULL,
       due_at INTEGER,
       http_status INTEGER,
       error TEXT
     )`,
    `CREATE INDEX operator_notices_announced ON operator_notices (seq) WHERE announced = 0`,
    `CREATE INDEX operator_notices_due ON operator_notices (due_at) WHERE webhook = 'pending'`,
    `CREATE INDEX operator_notices_age ON operator_notices (created_at)`,
  ],
};
