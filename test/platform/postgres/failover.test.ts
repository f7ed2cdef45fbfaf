// The address of the database leads to the standby before it is promoted: what is asked meanwhile waits, and nothing is lost.
// Runs in: soak
import t from 'tap';
import { openPostgres } from '../../../control-plane/platform/store/postgres/postgres.js';
import { openSharedState } from '../../../control-plane/platform/store/postgres/shared/shared-state.js';
import { startPostgres } from '../../harness/postgres.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';
import { until } from '../../harness/until.js';

t.test('a failover', async (t) => {
  const cluster = await startPostgres(['synchronous_commit=on']);
  t.teardown(() => cluster.stop());
  const { name, url } = await cluster.createDatabase();
  const cable = await startPostgresCable(t, url.replace('@/', '@localhost/'));
  const store = await openPostgres(cable.url, { connections: 3, waitMs: 60_000 });
  t.teardown(() => store.close());
  const shared = await openSharedState(cable.url, { waitMs: 60_000, onError: () => undefined });
  t.teardown(() => shared.close());
  await store.run('CREATE TABLE counters (n BIGINT NOT NULL)');
  await store.run('INSERT INTO counters VALUES (0)');
  const add = () => store.transaction((tx) => tx.run('UPDATE counters SET n = n + 1'));
  const standby = await cluster.startStandby();
  t.teardown(() => standby.stop());
  await add();
  await cluster.halt('immediate');
  const before = cable.came();
  cable.leadTo(standby.url(name));
  const written = add();
  const taken = shared.counts.take('polls', 1, 10);
  const locked = shared.locks.acquire('build');
  // Each try opens a connection.
  await until(() => cable.came() > before + 10, 'they have tried the standby');
  await standby.promote();
  await written;
  t.equal(await taken, 1);
  (await locked)();
  t.same(await store.get('SELECT n FROM counters'), { n: 2 });
});
