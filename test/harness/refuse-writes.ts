import { translated } from '../../control-plane/platform/store/postgres/schema.js';
import type { Store } from '../../control-plane/platform/store/sql.js';

/** Makes every new row of a table fail, on either database. */
export async function refuseWrites(store: Store, table: string): Promise<void> {
  const trigger = `CREATE TRIGGER refused BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'this row is refused'); END`;
  const [sql = ''] = store.dialect === 'sqlite' ? [trigger] : translated([trigger]);
  const at = store.dialect === 'sqlite' ? -1 : sql.indexOf('CREATE TRIGGER');
  for (const statement of at === -1 ? [sql] : [sql.slice(0, at), sql.slice(at)]) await store.run(statement);
}
