// Rows of an account refer only to rows of the same account. The database enforces it.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

interface Reference {
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

/** `account_id, workspace_id -> workspaces (account_id, workspace_id)`, for every foreign key of the table. */
async function references(store: Store, table: string): Promise<{ parent: string; columns: string[][] }[]> {
  const rows = await store.all<Reference>(`SELECT id, "table", "from", "to" FROM pragma_foreign_key_list('${table}')`);
  return [...new Set(rows.map(({ id }) => id))].map((id) => {
    const key = rows.filter((row) => row.id === id);
    return { parent: key[0]?.table ?? '', columns: key.map(({ from, to }) => [from, to]).sort() };
  });
}

async function columnsByTable(store: Store): Promise<Map<string, string[]>> {
  const rows = await store.all<{ table: string; column: string }>(
    `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`,
  );
  const tables = new Map<string, string[]>();
  for (const { table, column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

t.test('rows of an account refer to the account, and only to its rows', async (t) => {
  const store = openSqlite(':memory:');
  await migrate(store, migrations, 0);
  const tables = await columnsByTable(store);
  const accountBearing = [...tables].filter(([, columns]) => columns.includes('account_id'));
  t.ok(accountBearing.length > 20, 'the search finds the tables');
  for (const [name, columns] of accountBearing) {
    const found = await references(store, name);
    t.ok(
      found.some(({ parent, columns }) => parent === 'organizations' && columns.join() === 'account_id,id'),
      `${name}: account_id refers to organizations`,
    );
    if (columns.includes('workspace_id') && name !== 'workspaces') {
      t.ok(
        found.some(
          ({ parent, columns }) =>
            parent === 'workspaces' && columns.join() === 'account_id,account_id,workspace_id,workspace_id',
        ),
        `${name}: (account_id, workspace_id) refers to workspaces`,
      );
    }
    for (const { parent, columns } of found) {
      if (!tables.get(parent)?.includes('account_id')) continue;
      t.match(columns[0], ['account_id', 'account_id'], `${name}: a row of ${parent} of the same account`);
    }
  }
  for (const [name, columns] of tables) {
    if (columns.includes('workspace_id')) t.ok(columns.includes('account_id'), `${name} has the account too`);
  }
  t.same(await store.get('PRAGMA foreign_keys'), { foreign_keys: 1 }, 'references are enforced');
  await store.close();
});
