// Builds flow through three processes behind nginx while PostgreSQL is restarted, crashes, fails over to a standby, has no
// connections left and loses every notification: nothing is lost, nothing is done twice.
// Runs in: soak
// Requires: postgres, nginx
import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { startPostgres } from '../../harness/postgres.js';
import { startPostgresCable } from '../../harness/postgres-cable.js';
import { startServiceOf } from './service.js';

const CONNECTIONS = 120;
/** How long a server is away, or refuses connections: requests wait for it, up to CIDERMILL_DATABASE_WAIT_MS. */
const AWAY_MS = 3_000;

/** Takes every connection that is left. */
async function takeConnections(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      taken.push(client);
    } catch (error) {
      if ((error as { code?: string }).code === '53300') return taken;
      throw error;
    }
  }
}

async function endSessions(client: pg.Client, condition: string): Promise<void> {
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'cidermill%' AND ${condition}`);
}

t.test('three processes on a server with every fault that a server has', async (t) => {
  // Commits are on the disk when they are answered, as by default; the disk itself does not fail here.
  const cluster = await startPostgres(['synchronous_commit=on', `max_connections=${CONNECTIONS}`]);
  t.teardown(() => cluster.stop());
  const { name, url } = await cluster.createDatabase();
  const cable = await startPostgresCable(t, url.replace('@/', '@localhost/'));
  const env = { CIDERMILL_DATABASE_URL: cable.url };
  const service = await startServiceOf(t, { one: env, two: env, three: env });
  const first = service.processes.get('one')?.child.pid;
  const builds = service.builds();

  builds.begin('nothing is broken');
  await builds.accepted(20);

  for (const mode of ['fast', 'immediate'] as const) {
    builds.begin(`server restarted (${mode})`);
    await cluster.halt(mode);
    await pause(systemClock, AWAY_MS);
    await cluster.resume();
    await builds.accepted(15);
  }

  builds.begin('no connections left');
  const taken = await takeConnections(url);
  await endSessions(taken[0] as pg.Client, `pid <> pg_backend_pid()`);
  taken.push(...(await takeConnections(url)));
  await pause(systemClock, AWAY_MS);
  await Promise.all(taken.map((client) => client.end()));
  await builds.accepted(15);

  builds.begin('notifications lost');
  const admin = new pg.Client(url);
  await admin.connect();
  cable.watch = (sent) => (sent.includes('LISTEN cidermill') ? 'drop' : 'pass');
  await endSessions(admin, `application_name = 'cidermill listener'`);
  await admin.end();
  await builds.accepted(15);
  cable.watch = () => 'pass';

  builds.begin('failover to a standby');
  const standby = await cluster.startStandby();
  t.teardown(() => standby.stop());
  await builds.accepted(10);
  await cluster.halt('immediate');
  cable.leadTo(standby.url(name));
  await pause(systemClock, AWAY_MS);
  await standby.promote();
  await builds.accepted(15);

  builds.begin('afterwards');
  await builds.over();
  for (const line of builds.lines()) t.comment(line);
  await builds.check(t, standby.url(name), service.receiver.got);
  const processes = [...service.processes.values()];
  t.equal(service.processes.get('one')?.child.pid, first);
  t.same(
    processes.map(({ child }) => child.exitCode),
    [null, null, null],
    'no process ended',
  );
});
