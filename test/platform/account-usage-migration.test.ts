// The ledger of an existing database starts with the storage that its accounts use.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test('the migration counts contents and artifacts; a worker counts the logs', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const ledger = migrations.findIndex(({ name }) => name === 'account-usage');
  await migrate(store, migrations.slice(0, ledger), 0);
  await store.run(
    `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
     VALUES (1, 'org_1', 'one', 'one', 'active', 0), (2, 'org_2', 'two', 'two', 'active', 0)`,
  );
  await store.run(
    `INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES ('ws_1', 1, 'default', 0)`,
  );
  await store.run(
    `INSERT INTO blobs (account_id, sha256, size, blob_key, stored_at)
     VALUES (1, 'a', 10, 'a-1', 0), (1, 'b', 20, 'b-1', 0)`,
  );
  await store.run(
    `INSERT INTO builds (build_id, account_id, workspace_id, status, lane, timeout_min, priority, clean_tree,
       queue_until_rental, attempt, created_at, ended_at, script)
     VALUES ('rb_1', 1, 'ws_1', 'succeeded', '', 1, 0, 0, 0, 1, 0, 1, '')`,
  );
  await store.run(
    `INSERT INTO files (file_id, account_id, workspace_id, build_id, attempt, name, bytes, sha256, blob_key, created_at)
     VALUES ('file_1', 1, 'ws_1', 'rb_1', 1, 'a', 5, 'a', 'a-1', 0)`,
  );
  await migrate(store, migrations, 0);
  t.same(
    await store.all('SELECT account_id, contents_bytes, artifacts_bytes, logs_bytes FROM account_usage'),
    [
      { account_id: 1, contents_bytes: 30, artifacts_bytes: 5, logs_bytes: 0 },
      { account_id: 2, contents_bytes: 0, artifacts_bytes: 0, logs_bytes: 0 },
    ],
  );
  t.same(await store.all('SELECT build_id FROM builds WHERE log_bytes IS NULL'), [{ build_id: 'rb_1' }]);
});
