// The columns of a table, on either database.
import type { Queries } from '../../control-plane/platform/store/sql.js';
import { onPostgres } from './postgres-database.js';

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
