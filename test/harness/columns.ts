// The tables of the store and their columns, on either database.
import { LIFE } from '../../control-plane/platform/store/postgres/commit-outcome.js';
import type { Queries } from '../../control-plane/platform/store/sql.js';
import { onPostgres } from './postgres-database.js';

/** Returns the names of all tables, but not of the database's own ones. */
export async function tablesOf(q: Queries): Promise<string[]> {
  const rows = await q.all<{ name: string }>(
    onPostgres()
      ? `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '${LIFE}' ORDER BY 1`
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  return rows.map(({ name }) => name);
}

export async function columnsOf(q: Queries, table: string): Promise<string[]> {
  const rows = onPostgres()
    ? await q.all<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = :table ORDER BY ordinal_position`,
        { table },
      )
    : await q.all<{ name: string }>(`PRAGMA table_info(${table})`);
  return rows.map(({ name }) => name);
}
