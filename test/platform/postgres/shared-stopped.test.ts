// A process that is stopped for long loses what it held, and is told so when it goes on.
// Runs in: soak
import t from 'tap';
import { startPostgres } from '../../harness/postgres.js';
import { until } from '../../harness/until.js';
import { join, startHolder } from './shared-rig.js';

const cluster = await startPostgres();
t.teardown(() => cluster.stop());

t.test(
  'a process that is stopped holds nothing after some seconds, and everything again when it goes on',
  async (t) => {
    const { url } = await cluster.createDatabase();
    const child = await startHolder(t, url);
    const other = await join(t, url);
    t.equal(await other.counts.take('a', 1, 3), null);
    child.kill('SIGSTOP');
    // The server ends its session after ten seconds.
    const free = await other.locks.acquire('b');
    t.equal(await other.counts.take('a', 1, 3), 1);
    other.counts.give('a', 1);
    free();
    child.kill('SIGCONT');
    await until(async () => (await other.counts.total('a')) === 3, 'it has told the others what it holds', 15_000);
  },
);
