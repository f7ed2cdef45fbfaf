// Thirty hosts: enrolled with one token, busy with builds while all of them are upgraded. Agents are processes of the installed
// package, started again by a loop as launchd does it; only the machines are folders of this one.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../client/index.js';
import { createControlPlane } from '../../control-plane/index.js';
import { enrolHost } from '../../host-agent/index.js';
import { type InstallPaths, installPaths, versionFolder } from '../../host-agent/installation/paths.js';
import { createLog } from '../../shared/log.js';
import { packageHostAgent } from '../../tools/package/host-agent.js';
import { writeSums } from '../../tools/package/sums.js';
import { adminAt } from '../harness/admin.js';
import { ownLines } from '../harness/cli.js';
import { root, scriptRuntime } from '../harness/package-here.js';
import { until } from '../harness/until.js';
import { uploadFile } from '../harness/upload-file.js';

const HOSTS = 30;
/** Builds that run or wait at a time. */
const MOST_AT_ONCE = 12;
const LINES = 60;
const [OLD, NEW] = ['1.0.0', '1.1.0'] as const;
const OPERATOR = 'operator-token-of-this-test';

/** The fields of commands' results that are read here. */
interface Answer {
  key: string;
  token: string;
  hosts: { host_id: string; connected: boolean; agent_version: string; status: string }[];
  upgrade: {
    status: string;
    hosts: { state: string; canary: boolean; ended_at: string; started_at: string }[];
  };
}

async function startService(t: Test, folder: string, packages: string) {
  const env = {
    CIDERMILL_DATA: join(folder, 'service'),
    CIDERMILL_PORT: '0',
    CIDERMILL_PACKAGES: packages,
    CIDERMILL_OPERATOR_TOKEN: OPERATOR,
    CIDERMILL_UPGRADE_SOAK_MS: '1000',
    CIDERMILL_UPGRADES_AT_ONCE: '10',
    CIDERMILL_REQUESTS_PER_MINUTE: '1000000',
    CIDERMILL_CONNECTIONS_PER_ADDRESS: '10000',
  };
  const service = await createControlPlane({ env, log: createLog('service', 'silent') });
  t.teardown(() => service.stop());
  const admin: (...argv: string[]) => Promise<Answer> = adminAt(service.siteUrl, OPERATOR);
  return { siteUrl: service.siteUrl, baseUrl: service.baseUrl, admin };
}

/** Unpacks a package once; hosts share its files. */
function unpackOnce(folder: string, archive: string): string {
  const to = join(folder, 'unpacked');
  mkdirSync(to);
  execFileSync('tar', ['-xzf', archive, '-C', to, '--strip-components=1']);
  return to;
}

/** Installs the old version below a folder of its own, and enrols. */
async function installHost(folder: string, unpacked: string, siteUrl: string, token: string, name: string) {
  const paths = installPaths(join(folder, name));
  const to = versionFolder(paths, OLD);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(unpacked, to, { recursive: true });
  symlinkSync(join('versions', OLD), paths.current);
  const limits = { build: { warmProcesses: 0, diskReserveBytes: 0 } };
  const config = { control_plane: siteUrl, allow_unisolated: true, limits };
  await enrolHost({ dataDir: paths.data, token, config, hostname: name });
  return paths;
}

/** launchd: starts the agent of an installation, and again whenever it has exited. */
function keepAlive(t: Test, paths: InstallPaths): void {
  let child: ChildProcess | null = null;
  let over = false;
  const start = () => {
    child = spawn(join(paths.current, 'bin/cidermill'), ['host-agent', 'run', '--data', paths.data], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: paths.prefix, CIDERMILL_LOG_LEVEL: 'silent' },
    });
    child.once('exit', () => {
      if (!over) setTimeout(start, 300);
    });
  };
  t.teardown(() => {
    over = true;
    child?.kill('SIGTERM');
  });
  start();
}

const scriptOf = (build: number) => `for n in $(seq 1 ${LINES}); do echo ${build}.$n; sleep 0.1; done`;
const logOf = (build: number) => Array.from({ length: LINES }, (_, n) => `${build}.${n + 1}\n`).join('');

t.test(`${HOSTS} hosts are enrolled and upgraded while they build`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-fleet-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  const common = { root, out: packages, runtime: scriptRuntime };
  const made = [];
  for (const version of [OLD, NEW]) made.push(await packageHostAgent({ ...common, version }));
  writeSums(packages, made);
  const { admin, siteUrl, baseUrl } = await startService(t, folder, packages);
  await admin('org', 'create', '--name', 'My Team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000');
  const { key } = await admin('key', 'create', '--org', 'my-team', '--name', 'ci', '--levels', 'read,build,manage');
  const client = createClient({ url: baseUrl, key });

  const { token } = await admin(
    ...[
      'host',
      'enroll',
      '--tier',
      'm4',
      '--slots',
      '1',
      '--reusable',
      '--uses',
      String(HOSTS),
      '--until',
      new Date(Date.now() + 3_600_000).toISOString(),
    ],
  );
  const unpacked = unpackOnce(folder, join(packages, made[0]?.name ?? ''));
  for (let n = 1; n <= HOSTS; n++) {
    keepAlive(t, await installHost(folder, unpacked, siteUrl, token, `mac-${n}`));
  }
  const list = async () => (await admin('host', 'list')).hosts;
  await until(
    async () => (await list()).filter(({ connected }) => connected).length === HOSTS,
    'all are connected',
    180_000,
  );
  await t.rejects(installHost(folder, unpacked, siteUrl, token, 'one-too-many'), /token/, 'the token is used up');

  await admin('rental', 'grant', '--org', 'my-team', '--tier', 'm4', '--units', String(HOSTS), '--forever');
  const uploadId = await uploadFile(client);
  const ids: string[] = [];
  let upgraded = false;
  const flow = (async () => {
    while (!upgraded || ids.length < MOST_AT_ONCE) {
      const { id } = await client.builds.create({ upload_id: uploadId, script: scriptOf(ids.length) });
      ids.push(id);
      // As many as the machine can carry beside the agents.
      const first = ids[ids.length - MOST_AT_ONCE];
      if (first !== undefined) await client.builds.waitUntilEnded(first);
    }
  })();
  await until(() => ids.length > MOST_AT_ONCE, 'builds flow');
  const seen = await admin('host', 'upgrade', '--all', '--canary', '2');
  t.equal(seen.upgrade.hosts.filter(({ canary }) => canary).length, 2);
  await until(
    async () => (await admin('host', 'upgrade', '--status')).upgrade.status !== 'running',
    'the upgrade has ended',
    240_000,
  );
  upgraded = true;
  await flow;
  const { upgrade } = await admin('host', 'upgrade', '--status');
  t.equal(upgrade.status, 'done');
  t.equal(upgrade.hosts.filter(({ state }) => state === 'done').length, HOSTS);
  const [canaries, others] = [true, false].map((is) => upgrade.hosts.filter(({ canary }) => canary === is));
  const last = Math.max(...(canaries ?? []).map(({ ended_at }) => Date.parse(ended_at)));
  t.ok(
    (others ?? []).every(({ started_at }) => Date.parse(started_at) >= last),
    'the others came after the canaries',
  );

  for (const [n, id] of ids.entries()) {
    const ended = await client.builds.waitUntilEnded(id);
    t.match(ended, { status: 'succeeded', exit_code: 0, attempt: 1 }, `build ${n}`);
    t.equal(ownLines(await client.builds.log.text(id)), logOf(n), `log of build ${n}`);
  }
  const hosts = await list();
  t.equal(hosts.length, HOSTS);
  for (const { agent_version, connected, status } of hosts) {
    t.same({ agent_version, connected, status }, { agent_version: NEW, connected: true, status: 'active' });
  }
});
