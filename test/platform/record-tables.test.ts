// What counts as an account's records: the declaration covers the schema, and the database's triggers follow it.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { bytesOfColumns, recordTables } from '../../control-plane/platform/store/record-tables.js';
import {
  existingRecordTriggers,
  RECORDS_SINCE,
  recordTriggers,
} from '../../control-plane/platform/store/record-triggers.js';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

async function migrated(): Promise<Store> {
  const store = openSqlite(':memory:');
  await migrate(store, migrations, 0);
  return store;
}

t.test('every table counts or says why not, and so does every column of text or bytes', async (t) => {
  const store = await migrated();
  const tables = await store.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  t.same(Object.keys(recordTables).sort(), tables.map(({ name }) => name).sort());
  for (const { name, sql } of tables) {
    const declared = recordTables[name];
    if (!declared || 'because' in declared) continue;
    // table_xinfo lists generated columns too.
    const columns = await store.all<{ name: string; type: string }>(
      `SELECT name, type FROM pragma_table_xinfo('${name}')`,
    );
    t.ok(
      columns.some((column) => column.name === 'account_id'),
      `${name} belongs to an account`,
    );
    const variable = columns.filter(({ type }) => type === 'TEXT' || type === 'BLOB');
    const listed = [...declared.counts, ...Object.values(declared.fixed).flat()];
    t.same([...listed].sort(), variable.map((column) => column.name).sort(), name);
    t.notMatch(sql, /WITHOUT ROWID/, `${name} is counted in pages by rowid`);
  }
  await store.close();
});

t.test('the triggers of the database are those of the declaration', async (t) => {
  const store = await migrated();
  t.same([...(await existingRecordTriggers(store, 'sqlite'))].sort(), [...recordTriggers('sqlite')].sort());
  t.ok(recordTriggers('sqlite').size > 50);
  await store.close();
});

t.test('triggers that a migration or a person removed are made again at the next start', async (t) => {
  const store = await migrated();
  const marked = () => store.get(`SELECT value FROM meta WHERE name = 'records_uncounted'`);
  t.same(await marked(), { value: 'yes' }, 'the rows of an old database are to be counted');
  await store.run(`UPDATE meta SET value = 'no' WHERE name = 'records_uncounted'`);
  await migrate(store, migrations, 0);
  t.same(await marked(), { value: 'no' }, 'nothing was missing');

  await store.run('DROP TRIGGER records_of_builds_insert');
  await migrate(store, migrations, 0);
  t.same([...(await existingRecordTriggers(store, 'sqlite'))].sort(), [...recordTriggers('sqlite')].sort());
  t.same(await marked(), { value: 'yes' });

  const later = {
    id: (migrations.at(-1)?.id ?? 0) + 1,
    name: 'later',
    // A column that a trigger reads cannot be removed while there is the trigger.
    statements: [
      'ALTER TABLE secrets RENAME COLUMN name TO other_name',
      'ALTER TABLE secrets RENAME COLUMN other_name TO name',
      'CREATE TABLE new_waitlist AS SELECT * FROM waitlist',
      'DROP TABLE waitlist',
      'ALTER TABLE new_waitlist RENAME TO waitlist',
    ],
  };
  await migrate(store, [...migrations, later], 0);
  t.same([...(await existingRecordTriggers(store, 'sqlite'))].sort(), [...recordTriggers('sqlite')].sort());
  await store.close();
});

t.test('the triggers begin with the migration of their tables', async (t) => {
  t.equal(migrations.find(({ id }) => id === RECORDS_SINCE)?.name, 'schema');
});

t.test('bytes are those of the stored form, and null counts none', async (t) => {
  const store = openSqlite(':memory:');
  const sql = `SELECT ${bytesOfColumns(['a', 'b', 'c'])} AS bytes FROM
    (SELECT '한' AS a, NULL AS b, x'00ff' AS c)`;
  t.same(await store.get(sql), { bytes: 5 });
  t.equal(bytesOfColumns([]), '0');
  await store.close();
});
