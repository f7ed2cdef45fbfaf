// An older database with rows in every table: the migration keeps every row, and rows that refer to another account's
// workspace get one of their account.
import t from 'tap';
import { type Migration, migrate } from '../../control-plane/platform/store/migrate.js';
import { migrations } from '../../control-plane/platform/store/migrations/all.js';
import type { SqlParams, Store } from '../../control-plane/platform/store/sql.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';

const before = (name: string): Migration[] =>
  migrations.slice(
    0,
    migrations.findIndex((one) => one.name === name),
  );

/** NOT NULL columns without a value get an empty one. */
async function insert(store: Store, table: string, given: SqlParams): Promise<void> {
  const columns = await store.all<{ name: string; type: string }>(
    `SELECT name, type FROM pragma_table_info('${table}') WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0`,
  );
  const empty = columns.map(({ name, type }): [string, string | number] => [
    name,
    type === 'TEXT' ? '{}' : 0,
  ]);
  const values: SqlParams = { ...Object.fromEntries(empty), ...given };
  const names = Object.keys(values);
  await store.run(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
    values,
  );
}

async function fillAccount(store: Store, id: number): Promise<void> {
  const account_id = id;
  const workspace_id = `ws_${id}`;
  const [build_id, rental_id, order_no, upload_id] = [`bld_${id}`, `rt_${id}`, `RT-${id}`, `up_${id}`];
  await insert(store, 'organizations', { id, org_id: `org_${id}`, slug: `s${id}`, status: 'active' });
  await insert(store, 'workspaces', { account_id, workspace_id, name: 'default' });
  await insert(store, 'slots', { slot_id: `slot_${id}`, host_id: 'host_1', tier: 'm4', position: id });
  await insert(store, 'api_keys', { account_id, workspace_id, key_id: `key_${id}`, hash: `h${id}` });
  await insert(store, 'uploads', { account_id, workspace_id, upload_id, manifest_key: upload_id });
  await insert(store, 'orders', { account_id, order_no, tier: 'm4' });
  await insert(store, 'macs', { account_id, rental_id, slot_id: `slot_${id}`, tier: 'm4' });
  await insert(store, 'rentals', { rental_id, order_no });
  await insert(store, 'jobs', { account_id, rental_id, job_id: `op_${id}`, status: 'done' });
  await insert(store, 'holds', { account_id, order_no, rental_id, slot_id: `slot_${id}` });
  const build = { build_id, rental_id, pinned_rental_id: rental_id, upload_id, commit: 'c0ffee' };
  await insert(store, 'builds', { ...build, account_id, workspace_id, log_base: 7 });
  await insert(store, 'files', {
    account_id,
    workspace_id,
    build_id,
    file_id: `f_${id}`,
    blob_key: `b${id}`,
  });
  await insert(store, 'events', { account_id, build_id, event_id: `evt_${id}`, sequence: 1 });
  await insert(store, 'commit_statuses', { account_id, build_id });
  await insert(store, 'payments', { account_id, order_no });
  await insert(store, 'payment_cancellations', { account_id, order_no, cancellation_id: `pc_${id}` });
  await insert(store, 'ledger', { account_id, order_no, reference: `r${id}` });
  await insert(store, 'deliveries', { account_id, delivery_id: `dl_${id}`, event_id: `evt_${id}` });
  await insert(store, 'idempotency', { account_id, key: 'k' });
  await insert(store, 'api_errors', { account_id });
  await insert(store, 'blobs', { account_id, sha256: 'x' });
}

async function dump(store: Store): Promise<Record<string, unknown[]>> {
  const tables = await store.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'`,
  );
  const rows = await Promise.all(tables.map(({ name }) => store.all(`SELECT * FROM ${name} ORDER BY rowid`)));
  return Object.fromEntries(tables.map(({ name }, i) => [name, rows[i] ?? []]));
}

const others = (store: Store) =>
  store.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`,
  );

t.test('the migration keeps every row, index and value', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const old = before('rows-of-one-account');
  const added = migrations.slice(old.length, old.length + 1);
  await migrate(store, before('workspace-of-account'), 0);
  await insert(store, 'tiers', { tier: 'm4' });
  await insert(store, 'hosts', { host_id: 'host_1', credential_hash: 'h', status: 'active' });
  await insert(store, 'organizations', { id: 3, org_id: 'org_3', slug: 's3', status: 'active' });
  await insert(store, 'workspaces', { account_id: 3, workspace_id: 'ws_3', name: 'default' });
  await insert(store, 'organizations', { id: 4, org_id: 'org_4', slug: 's4', status: 'active' });
  await insert(store, 'workspaces', { account_id: 4, workspace_id: 'ws_4', name: 'default' });
  const foreign = { account_id: 3, workspace_id: 'ws_4' };
  await insert(store, 'api_keys', { ...foreign, key_id: 'key_3', hash: 'h3' });
  await insert(store, 'uploads', { ...foreign, upload_id: 'up_3', manifest_key: 'm3' });
  await migrate(store, old, 0);
  for (const id of [1, 2]) await fillAccount(store, id);
  const rows = await dump(store);
  const indexes = await others(store);

  await migrate(store, [...old, ...added], 0);
  const after = await dump(store);
  const own = (name: string) =>
    (rows[name] ?? []).map((row) => ({
      ...Object(row),
      ...(Object(row).account_id === 3 ? { workspace_id: 'ws_3' } : {}),
    }));
  t.same(after, { ...rows, api_keys: own('api_keys'), uploads: own('uploads') });
  t.same(
    (await others(store)).filter(({ name }) => indexes.some((one) => one.name === name)),
    indexes,
  );
  t.same(await store.all('PRAGMA foreign_key_check'), []);
  t.same(await store.get('PRAGMA integrity_check'), { integrity_check: 'ok' });
  t.same(await store.all(`SELECT name FROM sqlite_master WHERE name LIKE 'new_%' OR sql LIKE '%new_%'`), []);
  t.same(await store.all(`SELECT name FROM sqlite_master WHERE name LIKE '%_workspace_insert'`), []);
  await store.run(
    `INSERT INTO users (user_id, email, created_at) VALUES ('user_1', 'a@b', 0), ('user_2', 'c@d', 0)`,
  );
  await store.run(`INSERT INTO members (account_id, user_id, role, joined_at)
    VALUES (1, 'user_1', 'developer', 0), (1, 'user_2', 'owner', 0)`);
  await migrate(store, migrations, 0);
  t.same(await store.all('PRAGMA foreign_key_check'), [], 'later migrations leave no violations');
  t.same(await store.all('SELECT * FROM member_workspaces'), [
    { account_id: 1, user_id: 'user_1', workspace_id: 'ws_1' },
  ]);
  const refused: [string, string][] = [
    ['api_keys', "workspace_id = 'ws_2'"],
    ['uploads', "workspace_id = 'ws_2'"],
    ['builds', "workspace_id = 'ws_2'"],
    ['builds', "rental_id = 'rt_2'"],
    ['builds', "pinned_rental_id = 'rt_2'"],
    ['files', "workspace_id = 'ws_2'"],
    ['files', "build_id = 'bld_2'"],
    ['events', "subject_id = 'bld_2', sequence = 9"],
    ['jobs', "rental_id = 'rt_2'"],
    ['holds', "order_no = 'RT-2'"],
    ['ledger', "order_no = 'RT-2'"],
    ['workspaces', 'account_id = 2'],
    ['idempotency', 'account_id = 99'],
    ['member_workspaces', "workspace_id = 'ws_2'"],
  ];
  for (const [table, change] of refused) {
    const write = store.run(`UPDATE ${table} SET ${change} WHERE account_id = 1`);
    await t.rejects(write, { name: 'ConstraintError' }, `${table}: ${change}`);
  }
});

t.test('a reference to a row of another account aborts the migration and changes nothing', async (t) => {
  const store = openSqlite(':memory:');
  t.teardown(() => store.close());
  const old = before('rows-of-one-account');
  await migrate(store, old, 0);
  await insert(store, 'tiers', { tier: 'm4' });
  await insert(store, 'hosts', { host_id: 'host_1', credential_hash: 'h', status: 'active' });
  for (const id of [1, 2]) await fillAccount(store, id);
  await store.run(`UPDATE jobs SET rental_id = 'rt_2' WHERE account_id = 1`);
  const rows = await dump(store);
  await t.rejects(migrate(store, migrations.slice(0, old.length + 1), 0), {
    message: /^migration rows-of-one-account: .*INSERT INTO new_jobs/,
  });
  t.same(await dump(store), rows);
});
