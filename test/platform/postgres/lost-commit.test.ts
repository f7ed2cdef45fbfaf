// A connection that is lost during a commit: whether the transaction was carried out is found out, and it is done once.
import t, { type Test } from 'tap';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { type Store, StoreUnavailableError } from '../../../control-plane/platform/store/sql.js';
import { gate } from '../../harness/gate.js';
import { startPostgres } from '../../harness/postgres.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';
import { until } from '../../harness/until.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

/** What becomes of the next commit: the answer arrives; the server commits and the answer is lost; the server never gets it. */
type Fate = 'answered' | 'committed' | 'never sent';

const verdicts = { answered: 'pass', committed: 'unanswered', 'never sent': 'cut' } as const;

async function startProxy(t: Test, url: string) {
  const cable = await startPostgresCable(t, url);
  let fate: Fate = 'answered';
  let refused = false;
  cable.admit = () => !refused;
  cable.watch = (sent) => {
    if (!sent.includes('COMMIT\0')) return 'pass';
    const now = fate;
    fate = 'answered';
    return verdicts[now];
  };
  return {
    url: cable.url,
    /** @param others whether the server can be asked afterwards */
    next(commit: Fate, others: 'answered' | 'refused' = 'answered') {
      fate = commit;
      refused = others === 'refused';
    },
  };
}

async function start(t: Test) {
  const url = (await cluster.createDatabase()).url.replace('@/', '@localhost/');
  const direct = await openPostgres(url);
  await direct.run('CREATE TABLE counters (n BIGINT NOT NULL)');
  await direct.run('INSERT INTO counters VALUES (0)');
  const proxy = await startProxy(t, url);
  const store = await openPostgres(proxy.url, { connections: 1, waitMs: 1_000 });
  t.teardown(async () => {
    await store.close();
    await direct.close();
  });
  const count = { runs: 0, commits: 0 };
  const add = (to: Store) =>
    to.transaction(async (tx) => {
      count.runs++;
      tx.onCommit(() => count.commits++);
      await tx.run('UPDATE counters SET n = n + 1');
    });
  const read = async () => (await direct.get<{ n: number }>('SELECT n FROM counters'))?.n;
  return { proxy, store, add, read, count };
}

t.test('committed: it is not done again, and its callbacks run', async (t) => {
  const { proxy, store, add, read, count } = await start(t);
  proxy.next('committed');
  await add(store);
  t.same([await read(), count], [1, { runs: 1, commits: 1 }]);
});

t.test('not committed: it is done again, once', async (t) => {
  const { proxy, store, add, read, count } = await start(t);
  proxy.next('never sent');
  await add(store);
  t.same([await read(), count], [1, { runs: 2, commits: 1 }]);
});

t.test('the server crashes, and gives the id of the lost transaction to another one', async (t) => {
  // What is not committed reaches the disk late.
  const crashing = await startPostgres(['synchronous_commit=on', 'wal_writer_delay=10s']);
  t.teardown(() => crashing.stop());
  const url = (await crashing.createDatabase()).url.replace('@/', '@localhost/');
  const cable = await startPostgresCable(t, url);
  const store = await openPostgres(cable.url, { connections: 1, waitMs: 10_000 });
  await store.run('CREATE TABLE counters (n BIGINT NOT NULL)');
  await store.run('INSERT INTO counters VALUES (0)');
  const { opened, open } = gate();
  let state: 'before' | 'crashing' | 'crashed' = 'before';
  cable.watch = async (sent) => {
    if (state !== 'before' || !sent.includes('COMMIT\0')) return 'pass';
    state = 'crashing';
    cable.admit = () => opened.then(() => true);
    await crashing.halt('immediate');
    state = 'crashed';
    return 'cut';
  };
  let commits = 0;
  const added = store.transaction(async (tx) => {
    tx.onCommit(() => commits++);
    await tx.run('UPDATE counters SET n = n + 1');
  });
  const outcome = added.then(
    () => 'committed',
    (error: unknown) => error,
  );
  await until(() => state === 'crashed', 'the commit is lost');
  await crashing.resume();
  const other = await openPostgres(url);
  for (let n = 0; n < 50; n++) await other.run('CREATE TEMPORARY TABLE nothing () ON COMMIT DROP');
  open();
  t.ok((await outcome) instanceof StoreUnavailableError, String(await outcome));
  t.equal(commits, 0);
  t.equal((await other.get<{ n: number }>('SELECT n FROM counters'))?.n, 0);
  await store.run('UPDATE counters SET n = n + 1');
  t.equal((await other.get<{ n: number }>('SELECT n FROM counters'))?.n, 1, 'later transactions are carried out');
  await store.close();
  await other.close();
});

t.test('nobody can say: it is not repeated, and the sender is told that the database does not answer', async (t) => {
  for (const [fate, n] of [
    ['committed', 1],
    ['never sent', 0],
  ] as const) {
    const { proxy, store, add, read, count } = await start(t);
    proxy.next(fate, 'refused');
    await t.rejects(add(store), StoreUnavailableError);
    t.same([await read(), count], [n, { runs: 1, commits: 0 }], fate);
    proxy.next('answered');
    await add(store);
    t.equal(await read(), n + 1, 'and later transactions are carried out');
  }
});
