import { join } from 'node:path';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { onPostgres, openTestDatabase } from './postgres-database.js';

/** Opens the database of a service of a test once more, as an admin command of another process does. Close it. */
export const openBeside = async (data: string): Promise<Store> =>
  onPostgres() ? openTestDatabase(data) : openSqlite(join(data, 'cidermill.db'));
