// Scripts of an existing database: stored once, with an excerpt and a size on each build.
import t from 'tap';
import { migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

t.test('the migration moves scripts out of builds', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const at = migrations.findIndex(({ name }) => name === 'scripts-stored-once');
  await migrate(store, migrations.slice(0, at), 0);
  for (const id of [1, 2]) {
    await store.run(
      `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
       VALUES (:id, 'org_' || :id, 'n', 's' || :id, 'active', 0)`,
      { id },
    );
    await store.run(
      `INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES ('ws_' || :id, :id, 'w', 0)`,
      { id },
    );
  }
  const long = `${'가'.repeat(499)}😀${'z'.repeat(70_000)}`;
  const given = Array.from({ length: 250 }, (_, n) => [1, n % 3 === 0 ? long : `make ${n % 2}`] as const);
  for (const [n, [account, script]] of [...given, [2, long] as const].entries()) {
    await store.run(
      `INSERT INTO builds (build_id, account_id, workspace_id, status, queue_class, timeout_min, priority, clean_tree,
         queue_until_rental, attempt, created_at, script)
       VALUES ('rb_' || :n, :account, 'ws_' || :account, 'succeeded', '', 1, 0, 0, 0, 1, :n, :script)`,
      { n, account, script },
    );
  }
  await migrate(store, migrations, 0);
  t.same(await store.all('SELECT account_id, bytes FROM scripts ORDER BY account_id, bytes'), [
    { account_id: 1, bytes: 6 },
    { account_id: 1, bytes: 6 },
    { account_id: 1, bytes: Buffer.byteLength(long) },
    { account_id: 2, bytes: Buffer.byteLength(long) },
  ]);
  const rows = await store.all<{
    n: number;
    account: number;
    script: string;
    excerpt: string;
    bytes: number;
  }>(
    `SELECT b.created_at AS n, s.account_id AS account, s.script, b.script_excerpt AS excerpt, b.script_bytes AS bytes
     FROM builds b JOIN scripts s USING (script_id) ORDER BY b.created_at`,
  );
  t.equal(rows.length, 251);
  for (const { n, account, script, excerpt, bytes } of rows) {
    const expected = given[n]?.[1] ?? long;
    if (script !== expected || account !== (n === 250 ? 2 : 1)) t.fail(`build ${n} has another script`);
    if (bytes !== Buffer.byteLength(expected)) t.fail(`build ${n} has another size`);
    if (excerpt !== (expected === long ? '가'.repeat(499) : expected))
      t.fail(`build ${n} has another excerpt`);
  }
});
