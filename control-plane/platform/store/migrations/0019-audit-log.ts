// The audit log. Entries are only added: the database refuses to change or delete one.
import type { Migration } from '../migrate.js';

const refuse = (event: 'UPDATE' | 'DELETE' | 'INSERT', condition = '') =>
  `CREATE TRIGGER audit_log_no_${event.toLowerCase()} BEFORE ${event} ON audit_log ${condition}
     BEGIN SELECT RAISE(ABORT, 'entries of the audit log are neither changed nor deleted'); END`;

export const auditLog: Migration = {
  id: 19,
  name: 'audit-log',
  statements: [
    `CREATE TABLE audit_log (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      account_id INTEGER REFERENCES organizations (id),
      actor_kind TEXT NOT NULL,
      actor_id TEXT,
      actor_name TEXT,
      ip TEXT,
      action TEXT NOT NULL,
      target TEXT,
      result TEXT NOT NULL,
      count INTEGER NOT NULL)`,
    `CREATE INDEX audit_log_at ON audit_log (at, id)`,
    `CREATE INDEX audit_log_account ON audit_log (account_id, at, id)`,
    refuse('UPDATE'),
    refuse('DELETE'),
    // REPLACE deletes without the trigger of DELETE.
    refuse('INSERT', 'WHEN EXISTS (SELECT 1 FROM audit_log a WHERE a.id = NEW.id)'),
  ],
};
