// Events of rentals, orders and the waitlist, beside those of builds. SQLite cannot change the reference to builds in
// place, so the table is recreated. `build_id` follows from the subject: for the reference within the account.
import type { Migration } from '../migrate.js';

export const eventsOfAnySubject: Migration = {
  id: 49,
  name: 'events-of-any-subject',
  statements: [
    `CREATE TABLE new_events (
      seq INTEGER PRIMARY KEY,
      event_id TEXT NOT NULL UNIQUE,
      account_id INTEGER NOT NULL,
      subject_kind TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      occurred_at INTEGER NOT NULL,
      payload TEXT NOT NULL,
      fanned_out INTEGER NOT NULL DEFAULT 0,
      build_id TEXT GENERATED ALWAYS AS (CASE WHEN subject_kind = 'build' THEN subject_id END) STORED,
      UNIQUE (subject_id, sequence),
      FOREIGN KEY (account_id) REFERENCES organizations (id),
      FOREIGN KEY (account_id, build_id) REFERENCES builds (account_id, build_id))`,
    `INSERT INTO new_events (seq, event_id, account_id, subject_kind, subject_id, event_type, sequence, occurred_at, payload,
       fanned_out) SELECT seq, event_id, account_id, 'build', build_id, event_type, sequence, occurred_at, payload,
       fanned_out FROM events`,
    'DROP TABLE events',
    'ALTER TABLE new_events RENAME TO events',
    'CREATE INDEX events_pending ON events (seq) WHERE fanned_out = 0',
    'CREATE INDEX events_build ON events (account_id, build_id)',
    'CREATE INDEX events_account ON events (account_id, occurred_at)',
    `CREATE INDEX events_expire ON events (occurred_at) WHERE subject_kind <> 'build'`,
    'ALTER TABLE deliveries RENAME COLUMN build_id TO subject_id',
    // The end that the account was told of in advance.
    'ALTER TABLE rentals ADD COLUMN announced_end INTEGER',
  ],
};
