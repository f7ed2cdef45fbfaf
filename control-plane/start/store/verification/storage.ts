// What accounts keep, as counted towards their limits, and the database itself.
import type { Check } from './check.js';

const counted = (name: string, what: string, column: string, sum: string): Check => ({
  name,
  holds: `${what} count towards the account's limit with all their bytes.`,
  sql: `SELECT 'account ' || account_id AS subject, ledger || ' bytes are counted; the rows have ' || has AS found
    FROM (SELECT o.id AS account_id, COALESCE(u.${column}, 0) AS ledger, ${sum} AS has
      FROM organizations o LEFT JOIN account_usage u ON u.account_id = o.id) AS counts
    WHERE ledger <> has`,
  repair: 'by itself, within a day (the worker usage-check corrects it and logs it)',
});

export const storageChecks: readonly Check[] = [
  counted(
    'bytes_of_contents',
    'Uploads',
    'contents_bytes',
    `COALESCE((SELECT SUM(b.size) FROM blobs b WHERE b.account_id = o.id), 0)
       + COALESCE((SELECT SUM(up.manifest_bytes) FROM uploads up WHERE up.account_id = o.id), 0)`,
  ),
  counted(
    'bytes_of_artifacts',
    'Artifacts',
    'artifacts_bytes',
    'COALESCE((SELECT SUM(f.bytes) FROM files f WHERE f.account_id = o.id), 0)',
  ),
  counted(
    'bytes_of_logs',
    'Logs of ended builds',
    'logs_bytes',
    'COALESCE((SELECT SUM(b.log_bytes) FROM builds b WHERE b.account_id = o.id), 0)',
  ),
  {
    name: 'database_file',
    holds: 'The file of the database is undamaged.',
    dialect: 'sqlite',
    sql: `SELECT 'cidermill.db' AS subject, integrity_check AS found FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
    repair: 'restore the last backup',
  },
  {
    name: 'references',
    holds: 'What a row refers to is there.',
    dialect: 'sqlite',
    sql: `SELECT "table" || ' ' || COALESCE(rowid, 0) AS subject, 'it refers to a row of ' || parent || ' that is missing' AS found
      FROM pragma_foreign_key_check`,
    repair: 'restore the last backup',
  },
];
