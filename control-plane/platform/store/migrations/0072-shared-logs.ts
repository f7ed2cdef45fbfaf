// Logs that several processes share: in the database while their builds run, in objects afterwards.
import type { Migration } from '../migrate.js';

export const sharedLogs: Migration = {
  id: 72,
  name: 'shared-logs',
  statements: [
    `CREATE TABLE build_logs (
      build_id TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      length INTEGER NOT NULL,
      feeds INTEGER NOT NULL,
      ends_with_line INTEGER NOT NULL,
      is_resent INTEGER NOT NULL,
      owned INTEGER NOT NULL,
      written_at INTEGER NOT NULL,
      object_key TEXT,
      object_hash TEXT,
      index_bytes INTEGER NOT NULL DEFAULT 0,
      has_pieces INTEGER NOT NULL)`,
    'CREATE INDEX build_logs_with_pieces ON build_logs (build_id) WHERE has_pieces = 1',
    `CREATE TABLE log_pieces (
      build_id TEXT NOT NULL,
      start INTEGER NOT NULL,
      feeds INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (build_id, start))`,
    'CREATE INDEX log_pieces_lines ON log_pieces (build_id, feeds, start)',
  ],
};
