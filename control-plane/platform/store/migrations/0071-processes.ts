// Several processes on one database: who they are, which one runs the workers, and which one a host is connected to.
import type { Migration } from '../migrate.js';

export const processes: Migration = {
  id: 71,
  name: 'processes',
  statements: [
    `CREATE TABLE processes (
      process_id TEXT PRIMARY KEY,
      version TEXT NOT NULL,
      schema_id INTEGER NOT NULL,
      key_id TEXT NOT NULL,
      machine TEXT NOT NULL,
      pid INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      connections INTEGER NOT NULL,
      lag_ms INTEGER NOT NULL
    )`,
    `CREATE TABLE process_tasks (
      task TEXT PRIMARY KEY,
      process_id TEXT
    )`,
    `INSERT INTO process_tasks (task, process_id) VALUES ('workers', NULL)`,
    'ALTER TABLE hosts ADD COLUMN process_id TEXT',
  ],
};
