// What several processes on one database count and lock together.
import pg from 'pg';
import t from 'tap';
import { migrate } from '../../../control-plane/platform/store/migrate.js';
import { migrations } from '../../../control-plane/platform/store/migrations/all.js';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { startPostgres } from '../../harness/postgres.js';
import { until } from '../../harness/until.js';
import { sharedConformance } from '../shared-conformance.js';
import { join, joinTwice, startHolder } from './shared-rig.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

t.test('two processes count and lock as one does', async (t) => {
  const { url } = await cluster.createDatabase();
  const stores = await Promise.all([openPostgres(url, { connections: 3 }), openPostgres(url, { connections: 3 })]);
  for (const store of stores) t.teardown(() => store.close());
  await migrate(stores[0], migrations, 0);
  await sharedConformance(t, { stores, shared: await joinTwice(t, url) });
});

t.test('what a process held is free when it has ended', async (t) => {
  const { url } = await cluster.createDatabase();
  const [one, other] = await joinTwice(t, url);
  t.equal(await one.counts.take('a', 3, 3), 3);
  await one.locks.acquire('b');
  t.equal(await other.counts.take('a', 1, 3), null);
  let taken = false;
  const waiting = other.locks.acquire('b').then((free) => {
    taken = true;
    free();
  });
  t.equal(await other.counts.total('a'), 3);
  t.notOk(taken);
  await one.close();
  t.equal(await other.counts.take('a', 1, 3), 1);
  await waiting;
});

t.test('a process whose session was cut off has again what it held', async (t) => {
  const { url } = await cluster.createDatabase();
  const [one, other] = await joinTwice(t, url);
  t.equal(await one.counts.take('a', 3, 3), 3);
  const free = await one.locks.acquire('b');
  const admin = new pg.Client(url);
  await admin.connect();
  t.teardown(() => admin.end());
  const sessions = () =>
    admin.query(`SELECT pid FROM pg_stat_activity WHERE application_name = 'cidermill shared' ORDER BY backend_start`);
  const [first] = (await sessions()).rows;
  await admin.query('SELECT pg_terminate_backend($1)', [first.pid]);
  await until(async () => (await sessions()).rows.every(({ pid }) => pid !== first.pid), 'the session has ended');
  await until(async () => (await sessions()).rows.length === 2, 'there is another');
  // Another process may have taken it while it was free; otherwise it is held again.
  await until(async () => (await other.counts.total('a')) === 3, 'the count is told again');
  let taken = false;
  const waiting = other.locks.acquire('b').then((leave) => {
    taken = true;
    leave();
  });
  await other.counts.total('a');
  t.notOk(taken, 'the lock is held');
  free();
  await waiting;
});

t.test('a process that is killed holds nothing', async (t) => {
  const { url } = await cluster.createDatabase();
  const child = await startHolder(t, url);
  const other = await join(t, url);
  t.equal(await other.counts.take('a', 1, 3), null);
  child.kill('SIGKILL');
  await until(async () => (await other.counts.take('a', 1, 3)) === 1, 'the count is given back');
  (await other.locks.acquire('b'))();
});

t.test('any name can be counted', async (t) => {
  const { url } = await cluster.createDatabase();
  const one = await join(t, url);
  for (const name of ['', 'a\0b', 'x'.repeat(10_000), "'; DROP TABLE shared_buckets; --", '\ud800', 'ä€']) {
    t.match(await one.buckets.take(name, 60, 1, 0), { given: 1 }, JSON.stringify(name.slice(0, 40)));
    (await one.locks.acquire(name))();
  }
});

t.test('the server may lose what is shared', async (t) => {
  const { url } = await cluster.createDatabase();
  const [one, other] = await joinTwice(t, url);
  await one.counts.take('a', 3, 3);
  t.match(await one.buckets.take('b', 60, 60, 0), { given: 60 });
  const admin = new pg.Client(url);
  await admin.connect();
  t.teardown(() => admin.end());
  // As after its crash.
  await admin.query('TRUNCATE shared_counts, shared_buckets');
  t.match(await other.buckets.take('b', 60, 1, 0), { given: 1, left: 59 });
  t.equal(await one.counts.take('a', 1, 4), 4, 'a process writes all that it holds');
  t.equal(await other.counts.take('a', 1, 4), null);
});

t.test('how many there are elsewhere is known soon, and forgotten with their process', async (t) => {
  const { url } = await cluster.createDatabase();
  const [one, other] = await joinTwice(t, url);
  one.sightings.set('key', 40);
  other.sightings.set('key', 2);
  await until(() => other.sightings.elsewhere('key') === 40 && one.sightings.elsewhere('key') === 2, 'they have told');
  t.equal(one.sightings.elsewhere('another'), 0);
  one.sightings.set('key', 0);
  await until(() => other.sightings.elsewhere('key') === 0, 'it has none any more');
  t.equal(one.sightings.elsewhere('key'), 0);
});
