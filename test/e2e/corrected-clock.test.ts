// The clock of the service's machine is corrected by an hour while a build runs, as NTP does after a start without a network:
// the real processes notice it, and the build goes on.
// Runs in: soak
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { type Client, createClient } from '../../client/index.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { adminAt } from '../harness/admin.js';
import { until } from '../harness/until.js';
import { manifestOf, record } from '../harness/upload-bodies.js';

type NewUpload = Parameters<Client['uploads']['create']>[0];

const OPERATOR = 'operator-token-of-this-test';
const HOUR = 3_600_000;
const MAIN = fileURLToPath(new URL('../../control-plane/main.js', import.meta.url));

/** Runs before the program: its time of day steps by what a message says. */
const STEPPING = `
  const now = Date.now;
  let by = 0;
  Date.now = () => now() + by;
  process.on('message', ({ stepMs }) => { by += stepMs; });
`;

t.test('a running build outlives corrections of the clock of the service', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-clock-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const child = fork(MAIN, [], {
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(STEPPING)}`,
      CIDERMILL_DATA: join(root, 'service'),
      CIDERMILL_PORT: '0',
      CIDERMILL_OPERATOR_TOKEN: OPERATOR,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr?.on('data', (bytes) => (said += bytes));
  const [{ siteUrl }] = (await once(child, 'message')) as [{ siteUrl: string }];

  const admin = adminAt(siteUrl, OPERATOR);
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const { key } = await admin(...['key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build']);
  const client = createClient({ url: `${siteUrl}/api/v1`, key });
  const { token } = await admin('host', 'enroll', '--tier', 'm4', '--slots', '1');
  const dataDir = join(root, 'host');
  const config = { control_plane: siteUrl, allow_unisolated: true, limits: { build: { diskReserveBytes: 0 } } };
  await enrolHost({ dataDir, token, config });
  const agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
  await agent.start();
  t.teardown(() => agent.stop());
  const connected = async () => (await admin('host', 'list')).hosts[0]?.connected === true;
  await until(connected, 'the host is connected');
  await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--forever');
  const ready = async () => (await client.rentals.list()).rentals[0]?.state === 'ready';
  await until(ready, 'the Mac is ready');

  const go = join(root, 'go');
  const script = `while [ ! -e '${go}' ]; do sleep 0.05; done; exit 4`;
  const folder = { 'file.txt': 'a file\n' };
  const { id: uploadId } = await client.uploads.create(manifestOf(folder) as NewUpload);
  const body = gzipSync(record(folder['file.txt']));
  await client.uploads.blobs(uploadId, () => new Uint8Array(body));
  const { id } = await client.builds.create({ upload_id: uploadId, script, timeout_min: 30 });
  const status = async () => (await client.builds.get(id)).status;
  await until(async () => (await status()) === 'running', 'the build runs');
  const steps = () => said.split('\n').flatMap((line) => /"step_ms":(-?\d+)/.exec(line)?.[1] ?? []);
  for (const [n, stepMs] of [HOUR, -HOUR].entries()) {
    child.send({ stepMs });
    await until(() => steps().length > n, 'the step is logged');
    t.ok(Math.abs(Number(steps()[n]) - stepMs) < 1_000, `${steps()[n]}`);
    // What is due is looked at right after a step.
    await client.builds.wait(id, { timeoutS: 1 });
    t.equal(await status(), 'running');
    t.ok(await connected());
  }
  writeFileSync(go, '');
  await until(async () => (await status()) === 'failed', 'the build ends');
  t.match(await client.builds.get(id), { exit_code: 4, end_reason: 'exit_nonzero' });
  t.equal(steps().length, 2);
});
