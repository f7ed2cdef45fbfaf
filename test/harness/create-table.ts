import { translated } from '../../control-plane/platform/store/postgres/schema.js';
import type { Store } from '../../control-plane/platform/store/sql.js';

/** Creates a table of a test, on either database. */
export async function createTable(store: Store, sql: string): Promise<void> {
  for (const statement of store.dialect === 'sqlite' ? [sql] : translated([sql])) await store.run(statement);
}
