// What happens to a host over the years: the network is gone for minutes and for an hour, clocks differ, certificates
// are renewed and replaced. The service, the agent, its builds, TLS and the network between them are real; only the
// service's clock is advanced.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../client/index.js';
import { createControlPlane } from '../../control-plane/index.js';
import { createHostAgent, enrolHost, type HostAgent } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { adminAt } from '../harness/admin.js';
import { createAuthority } from '../harness/authority.js';
import { ownLines } from '../harness/cli.js';
import { startNetwork } from '../harness/network.js';
import { until } from '../harness/until.js';
import { uploadFile } from '../harness/upload-file.js';

const MINUTE = 60_000;

const OPERATOR = 'operator-token-of-this-test';

/** The fields of commands' results that are read here. */
interface Answer {
  key: string;
  token: string;
  hosts: { connected: boolean }[];
}

async function startService(t: Test) {
  const data = mkdtempSync(join(tmpdir(), 'cidermill-life-'));
  t.teardown(() => rmSync(data, { recursive: true, force: true }));
  const env = { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_OPERATOR_TOKEN: OPERATOR };
  const service = await createControlPlane({ env, testClock: true, log: createLog('service', 'silent') });
  t.teardown(() => service.stop());
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${service.siteUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const admin: (...argv: string[]) => Promise<Answer> = adminAt(service.siteUrl, OPERATOR);
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const key = await admin('key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage');
  const client = createClient({ url: service.baseUrl, key: key.key });
  return {
    admin,
    port: Number(new URL(service.siteUrl).port),
    client,
    build: async (script: string) => (await client.builds.create({ upload_id: await uploadFile(client), script })).id,
    advance: (ms: number) => post('/dev/clock', { advance_ms: ms }),
    host: async () => ({ connected: (await admin('host', 'list')).hosts[0]?.connected === true }),
  };
}

type Service = Awaited<ReturnType<typeof startService>>;

/** Enrols a host that reaches the service at `url`, and starts its agent. */
async function startHost(t: Test, service: Service, url: string, more: object = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-life-host-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const { token } = await service.admin('host', 'enroll', '--tier', 'm4', '--slots', '1');
  const limits = { link: { reconnectMaxMs: 200 }, build: { diskReserveBytes: 0 } };
  await enrolHost({
    dataDir,
    token,
    config: { control_plane: url, allow_unisolated: true, limits, ...more },
  });
  let agent: HostAgent | null = null;
  const stop = async () => {
    await agent?.stop();
    agent = null;
  };
  const start = async () => {
    agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
    await agent.start();
  };
  t.teardown(stop);
  await start();
  await until(async () => (await service.host()).connected, 'the host is connected');
  return { dataDir, start, stop };
}

const hasMac = async ({ admin, client }: Service) => {
  await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  await until(async () => (await client.rentals.list()).rentals[0]?.state === 'ready', 'the Mac is ready');
};

const lines = (count: number) => Array.from({ length: count }, (_, n) => `${n + 1}\n`).join('');
const counting = (count: number) => `for n in $(seq 1 ${count}); do echo $n; sleep 0.05; done`;

t.test('the network is gone for five minutes, then for an hour', async (t) => {
  const service = await startService(t);
  const network = await startNetwork(t);
  network.leadTo(service.port);
  await startHost(t, service, network.url);
  await hasMac(service);
  const { client } = service;
  const log = async (id: string) => ownLines(await client.builds.log.text(id));
  const startBuild = async (script: string) => {
    const id = await service.build(script);
    await until(async () => (await log(id)).includes('5\n'), 'it prints');
    return id;
  };

  const short = await startBuild(counting(100));
  network.cut();
  await until(async () => !(await service.host()).connected, 'the host is away');
  await service.advance(5 * MINUTE);
  t.match(await client.builds.get(short), { status: 'running' }, 'after five minutes');
  network.leadTo(service.port);
  t.match(await client.builds.waitUntilEnded(short), { status: 'succeeded', exit_code: 0 });
  t.equal(await log(short), lines(100), 'nothing of its log is missing');

  const long = await startBuild(`echo kept > "$HOME/file"; ${counting(100_000)}`);
  network.cut();
  await until(async () => !(await service.host()).connected, 'the host is away');
  await service.advance(60 * MINUTE);
  await until(async () => (await client.builds.get(long)).status === 'failed', 'the build counts as lost');
  t.match((await client.builds.get(long)).failure, { reason_code: 'host_lost', fault: 'platform' });
  const waiting = await service.build('cat "$HOME/file"');
  network.leadTo(service.port);
  const ended = await client.builds.waitUntilEnded(waiting);
  t.match(ended, { status: 'succeeded', exit_code: 0 }, 'what waited runs, once the lost build is stopped');
  t.equal(await log(waiting), 'kept\n', 'on the Mac as it was');
  t.match(await log(long), /^1\n2\n3\n4\n5\n/);

  // The service's clock is now more than an hour ahead of the host's.
  const { created_at, started_at, ended_at } = ended.timings;
  const times = [created_at, started_at, ended_at].map((time) => Date.parse(time ?? ''));
  t.same(
    times,
    [...times].sort((a, b) => a - b),
    'the times of a build are those of one clock',
  );
  t.ok((times[2] ?? 0) > Date.now() + 60 * MINUTE, "the service's");
});

t.test('certificates are renewed, then issued by another authority', async (t) => {
  const service = await startService(t);
  const network = await startNetwork(t);
  const [first, second] = [createAuthority(t), createAuthority(t)];
  network.leadTo(await first.front(['localhost'], service.port));
  const caFile = join(first.folder, 'of-the-host.pem');
  writeFileSync(caFile, readFileSync(first.file));
  const url = `https://localhost:${network.port}`;
  const host = await startHost(t, service, url, { ca_file: caFile });
  await hasMac(service);
  const { client } = service;
  const id = await service.build(counting(200));
  await until(async () => (await client.builds.log.text(id)).includes('5\n'), 'it prints');

  network.leadTo(await first.front(['localhost'], service.port));
  await until(async () => (await service.host()).connected === false, 'the proxy was restarted');
  await until(async () => (await service.host()).connected, 'a renewed certificate needs nothing');

  network.leadTo(await second.front(['localhost'], service.port));
  await until(async () => (await service.host()).connected === false, 'an unknown authority');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  t.equal((await service.host()).connected, false, 'is not trusted');
  writeFileSync(caFile, readFileSync(second.file));
  await host.stop();
  await host.start();
  await until(async () => (await service.host()).connected, 'trusted, since its file was replaced');
  t.match(await client.builds.waitUntilEnded(id), { status: 'succeeded' }, 'a build that ran all the time');
  t.equal(ownLines(await client.builds.log.text(id)), lines(200));
});
