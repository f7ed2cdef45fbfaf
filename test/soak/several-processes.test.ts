// Three processes of the control plane on one database, a real host and real builds. The process with the host's connection
// is killed, the one that runs the workers is stopped for a while and comes back: every build ends once, as its script does.
// Requires: postgres
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { type Client, createClient } from '../../client/index.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { startNetwork } from '../harness/network.js';
import { startPostgres } from '../harness/postgres.js';
import { adminOn, createInstallation, type Listed, type Started } from '../harness/several-processes.js';
import { until } from '../harness/until.js';
import { uploadFile } from '../harness/upload-file.js';

t.test('three processes, one of them killed and one stopped for a while', async (t) => {
  const cluster = await startPostgres();
  t.teardown(() => cluster.stop());
  const database = (await cluster.createDatabase()).url;
  const balancer = await startNetwork(t);
  const processes = createInstallation(t, {
    CIDERMILL_DATABASE_URL: database.replace('@/', '@localhost/'),
    CIDERMILL_SITE_URL: balancer.url,
  });
  const one = await processes.start('one');
  t.ok(existsSync(join(processes.data('one'), 'secret.key')));
  const admin = adminOn(one);
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const { key } = await admin('key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage');
  const clientOf = ({ url }: Started): Client =>
    createClient({ url: `${url}/api/v1`, key, retry: { attempts: 100, baseMs: 100, maxMs: 500 } });
  const uploadId = await uploadFile(clientOf(one));
  const [two, three] = await Promise.all([processes.start('two'), processes.start('three')]);
  const listed = async () => (await adminOn(three)('process', 'list')).processes;
  t.equal((await listed()).length, 3);

  balancer.leadTo(one.port);
  const { token } = await admin('host', 'enroll', '--tier', 'm4', '--slots', '2');
  const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-several-host-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const limits = { link: { reconnectMaxMs: 200 }, build: { diskReserveBytes: 0 } };
  await enrolHost({ dataDir, token, config: { control_plane: balancer.url, allow_unisolated: true, limits } });
  const agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
  await agent.start();
  t.teardown(() => agent.stop());
  await until(async () => (await adminOn(two)('host', 'list')).hosts[0]?.connected === true, 'the host is connected');
  await adminOn(two)('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  await adminOn(three)('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  await until(
    async () => {
      const { rentals } = await clientOf(three).rentals.list();
      return rentals.filter(({ state }) => state === 'ready').length === 2;
    },
    'the Macs are ready, seen from another process',
    120_000,
  );

  const expected = new Map<string, number>();
  const submit = async (on: Started, count: number) => {
    for (let n = 0; n < count; n++) {
      const code = n % 4 === 3 ? 7 : 0;
      const script = `for n in 1 2 3; do echo line $n; sleep 0.1; done; exit ${code}`;
      const { id } = await clientOf(on).builds.create({ script, upload_id: uploadId });
      expected.set(id, code);
    }
  };
  const follow = async (on: Started) => {
    const client = clientOf(on);
    for (const [id, code] of expected) {
      const { status, exit_code } = await client.builds.waitUntilEnded(id);
      t.same([status, exit_code], [code === 0 ? 'succeeded' : 'failed', code], id);
    }
  };

  await t.test('a build is submitted to one process and awaited on another', async () => {
    await submit(two, 4);
    const began = Date.now();
    await follow(three);
    t.comment(`${Date.now() - began} ms`);
  });

  await t.test('the process with the connection of the host is killed', async (t) => {
    await submit(two, 6);
    one.child.kill('SIGKILL');
    balancer.leadTo(two.port);
    await submit(three, 6);
    await follow(three);
    await until(async () => (await listed()).length === 2, 'it is given up', 60_000);
    t.same((await listed()).map(({ connections }) => connections).sort(), [0, 1]);
  });

  await t.test('the process that runs the workers is stopped, and comes back after it was given up', async (t) => {
    const leader = async () => (await listed()).find(({ workers }) => workers)?.pid;
    await until(async () => (await leader()) !== undefined, 'one runs the workers', 60_000);
    const stopped = (await leader()) === two.child.pid ? two : three;
    const other = stopped === two ? three : two;
    balancer.leadTo(stopped.port);
    await until(
      async () =>
        (await adminOn(other)('process', 'list')).processes.some(
          (one: Listed) => one.pid === stopped.child.pid && one.connections === 1,
        ),
      'the host is connected to it',
      60_000,
    );
    await submit(other, 4);
    stopped.child.kill('SIGSTOP');
    await submit(other, 4);
    balancer.leadTo(other.port);
    await until(
      async () =>
        (await adminOn(other)('process', 'list')).processes.every(
          (one: Listed) => one.pid === other.child.pid && one.workers,
        ),
      'the other is alone and runs the workers',
      120_000,
    );
    await submit(other, 2);
    stopped.child.kill('SIGCONT');
    t.equal(await stopped.ended, 1, 'it ends, because it was given up');
    await follow(other);
  });

  const client = new pg.Client(database);
  await client.connect();
  t.teardown(() => client.end());
  const { rows } = await client.query(
    `SELECT subject_id, count(*)::int AS n FROM events WHERE event_type IN ('build.succeeded', 'build.failed',
       'build.cancelled', 'build.expired') GROUP BY subject_id`,
  );
  t.equal(rows.length, expected.size);
  t.same(
    rows.filter(({ n }) => n !== 1),
    [],
    'every build ended once',
  );
});
