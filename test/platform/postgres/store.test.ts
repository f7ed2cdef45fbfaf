// PostgreSQL behind the store port.
import pg from 'pg';
import t, { type Test } from 'tap';
import { migrate } from '../../../control-plane/platform/store/migrate.js';
import { migrations } from '../../../control-plane/platform/store/migrations/all.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import type { Store } from '../../../control-plane/platform/store/sql.js';
import { startPostgres } from '../../harness/postgres.js';
import { oldNotices } from '../old-notices-conformance.js';
import { storeConformance } from '../store-conformance.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

t.test('PostgreSQL does what every store does', (t) =>
  storeConformance(t, async () => openPostgres((await cluster.createDatabase()).url)),
);

t.test('the migrations make the same schema', async (t) => {
  const store = await openPostgres((await cluster.createDatabase()).url);
  t.teardown(() => store.close());
  t.equal((await migrate(store, migrations, 0)).length, migrations.length);
  t.same(await migrate(store, migrations, 0), []);
});

t.test('notices of a version that kept whole sentences say them after the migration', (t) =>
  oldNotices(t, async () => openPostgres((await cluster.createDatabase()).url)),
);

const twoStores = async (t: Test) => {
  const { url, name } = await cluster.createDatabase();
  const stores = await Promise.all([openPostgres(url), openPostgres(url)]);
  for (const store of stores) t.teardown(() => store.close());
  const [one, other] = stores as [Store, Store];
  await one.run('CREATE TABLE counters (name TEXT PRIMARY KEY, n BIGINT NOT NULL)');
  await one.run(`INSERT INTO counters VALUES ('a', 0), ('b', 0)`);
  const read = async (name: string) =>
    (await one.get<{ n: number }>('SELECT n FROM counters WHERE name = :name', { name }))?.n;
  return { one, other, name, read };
};

/** Reads, then writes what follows from it. */
const add = (store: Store, name: string, onRollback = () => {}) =>
  store.transaction(async (tx) => {
    tx.onRollback(onRollback);
    const row = await tx.get<{ n: number }>('SELECT n FROM counters WHERE name = :name', { name });
    await tx.run('UPDATE counters SET n = :n WHERE name = :name', { name, n: (row?.n ?? 0) + 1 });
  });

t.test('transactions of two processes have the effect of some order; what met another ran again', async (t) => {
  const { one, other, read } = await twoStores(t);
  let again = 0;
  const each = Array.from({ length: 100 }, (_, i) => add(i % 2 ? one : other, 'a', () => again++));
  await Promise.all(each);
  t.equal(await read('a'), 100);
  t.ok(again > 0, `${again} ran again`);
});

t.test('what two transactions decide from each other’s rows is decided by one of them', async (t) => {
  const { one, other, read } = await twoStores(t);
  // At most one of both may be 1.
  const take = (store: Store, mine: string, others: string) =>
    store.transaction(async (tx) => {
      const row = await tx.get<{ n: number }>('SELECT n FROM counters WHERE name = :others', { others });
      if (row?.n === 0) await tx.run('UPDATE counters SET n = 1 WHERE name = :mine', { mine });
    });
  await Promise.all([take(one, 'a', 'b'), take(other, 'b', 'a')]);
  t.equal(((await read('a')) ?? 0) + ((await read('b')) ?? 0), 1);
});

t.test('a lost connection: what was not committed runs again, what was committed does not', async (t) => {
  const { one, other, name, read } = await twoStores(t);
  const admin = new pg.Client(cluster.url('postgres'));
  await admin.connect();
  t.teardown(() => admin.end());
  const endAll = () => admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  let tries = 0;
  await one.transaction(async (tx) => {
    await tx.run(`UPDATE counters SET n = n + 1 WHERE name = 'a'`);
    if (++tries === 1) await endAll();
  });
  t.equal(tries, 2);
  t.equal(await read('a'), 1);
  await add(other, 'a');
  t.equal(await read('a'), 2, 'the other process has new connections too');
});

t.test('a failed statement fails its transaction, also if its error is caught', async (t) => {
  const { one, read } = await twoStores(t);
  let committed = false;
  const work = one.transaction(async (tx) => {
    tx.onCommit(() => {
      committed = true;
    });
    await tx.run(`UPDATE counters SET n = 7 WHERE name = 'a'`);
    await tx.run(`INSERT INTO counters VALUES ('b', 1)`).catch(() => undefined);
  });
  await t.rejects(work, /a statement of this transaction had failed/);
  t.equal(committed, false);
  t.equal(await read('a'), 0);
});

t.test('another process is noticed, and own writes are not', async (t) => {
  const { one, other } = await twoStores(t);
  const before = await one.outsideVersion();
  await add(one, 'a');
  t.equal(await one.outsideVersion(), before);
  await add(other, 'a');
  t.not(await one.outsideVersion(), before);
});

t.test('a snapshot sees one state', async (t) => {
  const { one, read } = await twoStores(t);
  await one.snapshot(async (q) => {
    const seen = () => q.get('SELECT n FROM counters WHERE name = :name', { name: 'a' });
    t.same(await seen(), { n: 0 });
    await add(one, 'a');
    t.same(await seen(), { n: 0 });
  });
  t.equal(await read('a'), 1);
});

t.test('values are as SQLite returns them', async (t) => {
  const { one } = await twoStores(t);
  await migrate(one, [{ id: 1, name: 'none', statements: [] }], 0);
  t.same(
    await one.get(
      `SELECT 1 = 1 AS yes, COUNT(*) AS count, SUM(n) AS sum, CAST(9007199254740991 AS bigint) AS large, NULL AS nothing,
         LOWER(:text) AS lower, :text < :later AS earlier, :bytes AS bytes, :half AS half, max(:a, :b) AS most
       FROM counters`,
      { text: 'Ä:X', later: 'ä', bytes: Buffer.from([0, 255]), half: 0.5, a: 1, b: 2 },
    ),
    {
      yes: 1,
      count: 2,
      sum: 0,
      large: 2 ** 53 - 1,
      nothing: null,
      lower: 'Ä:x',
      earlier: 1,
      bytes: Buffer.from([0, 255]),
      half: 0.5,
      most: 2,
    },
  );
  await t.rejects(one.get('SELECT CAST(9007199254740993 AS bigint) AS n'), /larger than a number can hold/);
  await t.rejects(one.get('SELECT :missing'), /Missing named parameter "missing"/);
});
