// Statements of a process while another one migrates the database: plans that no longer fit, and locks that meet.
import pg from 'pg';
import t, { type Test } from 'tap';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { startPostgres } from '../../harness/postgres.js';
import { until } from '../../harness/until.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

async function start(t: Test) {
  const { url } = await cluster.createDatabase();
  const store = await openPostgres(url, { connections: 4 });
  t.teardown(() => store.close());
  await store.run('CREATE TABLE notes (n BIGINT NOT NULL, text TEXT NOT NULL)');
  await store.run('CREATE TABLE others (n BIGINT NOT NULL)');
  await store.run(`INSERT INTO notes VALUES (1, 'one')`);
  await store.run('INSERT INTO others VALUES (1)');
  const other = new pg.Client(url);
  await other.connect();
  t.teardown(() => other.end());
  return { store, other };
}

const READ = 'SELECT text FROM notes WHERE n = :n';

t.test('a plan whose result has another type by now is made again', async (t) => {
  const { store, other } = await start(t);
  const statement = { name: 'read', text: 'SELECT text FROM notes WHERE n = $1', values: [1] };
  await other.query(statement);
  const read = () => store.get(READ, { n: 1 });
  const write = () =>
    store.transaction(async (tx) => {
      await tx.run('UPDATE others SET n = n + 1');
      return tx.get(READ, { n: 1 });
    });
  // On each connection of the pool.
  await Promise.all([read(), read(), read(), write()]);
  await Promise.all([read(), read(), read(), read()]);
  await other.query('ALTER TABLE notes ALTER COLUMN text TYPE varchar(50)');
  await t.rejects(other.query(statement), { code: '0A000', routine: 'RevalidateCachedQuery' }, 'without this it fails');
  const answers = await Promise.all([read(), read(), read(), read(), write(), write(), write(), write(), write()]);
  for (const answer of answers) t.same(answer, { text: 'one' });
  t.same(await store.get('SELECT n FROM others'), { n: 7 }, 'every transaction was carried out once');
});

t.test('a read that a migration meets in the other order is done again', async (t) => {
  const { store, other } = await start(t);
  await other.query(`SET deadlock_timeout = '30s'`);
  await other.query('BEGIN; LOCK TABLE notes');
  const read = store.get('SELECT others.n FROM others, notes WHERE others.n = notes.n');
  await until(async () => {
    const { rows } = await other.query('SELECT 1 FROM pg_locks WHERE NOT granted');
    return rows.length > 0;
  }, 'the read waits');
  await other.query('LOCK TABLE others');
  await other.query('COMMIT');
  t.same(await read, { n: 1 });
});
