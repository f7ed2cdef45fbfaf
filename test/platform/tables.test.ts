// Every table is described as the migrations make it.
import { readdirSync } from 'node:fs';
import t from 'tap';
import type { AnyField, Fields } from '../../control-plane/platform/domain/fields.js';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { columnOf } from '../../control-plane/platform/store/table-values.js';

const types = { text: 'TEXT', json: 'TEXT', int: 'INTEGER', bool: 'INTEGER', bytes: 'BLOB' } as const;

interface Described {
  readonly name: string;
  readonly fields: Fields;
}

const isDescribed = (value: unknown): value is Described =>
  typeof value === 'object' && value !== null && 'fields' in value && 'columns' in value && 'insert' in value;

/** Of all `store` folders of the control plane. */
async function describedTables(): Promise<Map<string, Described>> {
  const compiled = new URL('../../control-plane/', import.meta.url);
  const found = new Map<string, Described>();
  // By their sources, since a compiled file may be left of one that is gone.
  for (const file of readdirSync('control-plane', { recursive: true, encoding: 'utf8' })) {
    if (!/^\w+\/store\/[^/]+\.ts$/.test(file)) continue;
    const exported: object = await import(new URL(file.replace(/ts$/, 'js'), compiled).href);
    for (const value of Object.values(exported)) if (isDescribed(value)) found.set(value.name, value);
  }
  return found;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

/** As the database says it; a column of the primary key is never null. */
const asMigrated = ({ name, type, notnull, pk }: Column) =>
  `${name} ${type}${notnull === 1 || pk > 0 ? ' NOT NULL' : ''}`;
const asDescribed = ([name, field]: [string, AnyField]) =>
  `${columnOf(name)} ${types[field.kind]}${field.nullable ? '' : ' NOT NULL'}`;

t.test('every table and column is described, with its type and whether it can be null', async (t) => {
  const store = openSqlite(':memory:');
  await migrate(store, migrations, 0);
  const described = await describedTables();
  const tables = await store.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'`,
  );
  t.same([...described.keys()].sort(), tables.map(({ name }) => name).sort());
  for (const { name, fields } of described.values()) {
    const columns = await store.all<Column>(`SELECT * FROM pragma_table_info('${name}')`);
    t.same(Object.entries(fields).map(asDescribed).sort(), columns.map(asMigrated).sort(), name);
  }
  await store.close();
});
