// Older databases have an obsolete counter.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test('the counter is deleted, other single values are kept', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const own = migrations.findIndex(({ name }) => name === 'access-revision');
  await migrate(store, migrations.slice(0, own), 0);
  await store.run(`INSERT INTO meta (name, value) VALUES ('access_revision', '7'), ('clock_offset_ms', '5')`);
  t.same(await migrate(store, migrations.slice(0, own + 1), 0), ['access-revision']);
  t.same(await store.all('SELECT name, value FROM meta'), [{ name: 'clock_offset_ms', value: '5' }]);
});
