// Upgrades from end to end: a service, real packages for this machine, two hosts whose agents are started again whenever they
// end, and a build that runs through it all.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { createControlPlane } from '../../control-plane/index.js';
import { installPaths } from '../../host-agent/installation/paths.js';
import { createLog } from '../../shared/log.js';
import { packageHostAgent } from '../../tools/package/host-agent.js';
import { writeSums } from '../../tools/package/sums.js';
import { adminAt } from '../harness/admin.js';
import { cidermill } from '../harness/cli.js';
import { root, scriptRuntime } from '../harness/package-here.js';
import { until } from '../harness/until.js';
import { measured } from '../host-agent/installation/small-package.js';
import { createLaunchd } from '../host-agent/installation/upgrade-rig.js';

const run = promisify(execFile);
const OPERATOR = 'operator-token-of-this-test';

interface Answer {
  readonly key: string;
  readonly token: string;
  readonly hosts: readonly {
    readonly name: string;
    readonly connected: boolean;
    readonly agent_version: string;
  }[];
  readonly upgrade: {
    readonly status: string;
    readonly error: string | null;
    readonly hosts: readonly { readonly name: string; readonly state: string; readonly canary: boolean }[];
  };
}

async function startService(t: Test, folder: string) {
  const [data, packages] = [join(folder, 'service'), join(folder, 'packages')];
  mkdirSync(packages);
  const env = {
    CIDERMILL_DATA: data,
    CIDERMILL_PORT: '0',
    CIDERMILL_OPERATOR_TOKEN: OPERATOR,
    CIDERMILL_PACKAGES: packages,
    CIDERMILL_UPGRADE_SOAK_MS: '2000',
  };
  const service = await createControlPlane({ env, log: createLog('service', 'silent') });
  t.teardown(() => service.stop());
  const admin: (...argv: string[]) => Promise<Answer> = adminAt(service.siteUrl, OPERATOR);
  return { admin, packages, siteUrl: service.siteUrl, baseUrl: service.baseUrl };
}
type Service = Awaited<ReturnType<typeof startService>>;

/** Makes a package; `broken` ends as soon as it serves. */
async function makePackage({ packages }: Service, version: string, broken = false) {
  const made = await packageHostAgent({ root, out: packages, version, runtime: scriptRuntime });
  const file = join(packages, made.name);
  if (!broken) return made;
  execFileSync('tar', ['-xzf', file, '-C', packages]);
  const top = `cidermill-host-agent-${version}`;
  const program = join(packages, top, 'lib/cidermill.mjs');
  const code = readFileSync(program, 'utf8').replace(/^#!.*\n/, '');
  const fails = `if (process.argv[3] === 'run') throw new Error('this version is broken');\n`;
  writeFileSync(program, fails + code);
  execFileSync('tar', ['-czf', file, '-C', packages, top]);
  rmSync(join(packages, top), { recursive: true });
  return { ...made, sha256: measured(file).sha256 };
}

/** Installs version 1.0.0 below a prefix, enrols it and starts it as launchd does. */
async function startHost(t: Test, service: Service, folder: string, name: string) {
  const paths = installPaths(join(folder, name));
  mkdirSync(paths.versions, { recursive: true });
  const top = 'cidermill-host-agent-1.0.0';
  const archive = join(service.packages, `${top}-${scriptRuntime.platform}.tar.gz`);
  execFileSync('tar', ['-xzf', archive, '-C', paths.versions]);
  execFileSync('mv', [join(paths.versions, top), join(paths.versions, '1.0.0')]);
  symlinkSync('versions/1.0.0', paths.current);
  mkdirSync(dirname(paths.data), { recursive: true });
  const env = { ...process.env, CIDERMILL_HOST_DATA: paths.data, CIDERMILL_NAME: name };
  const { token } = await service.admin('host', 'enroll', '--tier', 'm4', '--slots', '1', '--name', name);
  const command = join(paths.current, 'bin/cidermill');
  const enroll = ['host-agent', 'enroll', '--url', service.siteUrl, '--allow-unisolated'];
  await run(command, enroll, { env: { ...env, CIDERMILL_ENROLMENT_TOKEN: token } });
  const file = join(paths.data, 'agent.json');
  const limits = { daemon: { upgradeTrialMs: 15_000 }, build: { diskReserveBytes: 0 } };
  const log_file = join(folder, `${name}.log`);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), limits, log_file }));
  const launchd = createLaunchd(command, env);
  launchd.start();
  t.teardown(launchd.stop);
  return { paths, command, env, launchd };
}

t.test('two hosts are upgraded while a build runs, and return from a version that is broken', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-upgrade-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const service = await startService(t, folder);
  const { admin } = service;
  const made = [await makePackage(service, '1.0.0'), await makePackage(service, '2.0.0')];
  writeSums(service.packages, made);
  await admin('org', 'create', '--name', 'team');
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '1');
  const { key } = await admin('key', 'create', '--org', 'team', '--name', 'ci', '--levels', 'read,build,manage');
  const [first] = [await startHost(t, service, folder, 'mac-1'), await startHost(t, service, folder, 'mac-2')];
  const hosts = async () => (await admin('host', 'list')).hosts;
  const all = async (version: string) =>
    (await hosts()).every(({ connected, agent_version }) => connected && agent_version === version);
  await until(() => all('1.0.0'), 'both are connected');
  await admin('rental', 'grant', '--org', 'team', '--tier', 'm4', '--units', '2');
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'README'), 'A small project.\n');
  const client = { ...process.env, CIDERMILL_URL: service.baseUrl, CIDERMILL_API_KEY: key };
  const build = (script: string) => cidermill(client, app, 'build', '--script', script);
  const go = join(folder, 'go');
  const script = `touch '${folder}/running-'$$; n=0; until [ -e '${go}' ]; do n=$((n+1)); echo line $n; sleep 0.1; done; echo last`;
  t.teardown(() => writeFileSync(go, ''));
  const through = [build(script), build(script)];

  const running = () => readdirSync(folder).filter((name) => name.startsWith('running-')).length;
  await until(() => running() === 2, 'both builds run');
  const ended = async () => {
    const { upgrade } = await admin('host', 'upgrade', '--status');
    return upgrade.status === 'running' ? null : upgrade;
  };
  await admin('host', 'upgrade', '--all');
  await until(async () => (await ended()) !== null, 'the upgrade');
  t.match(await ended(), {
    status: 'done',
    hosts: [
      { canary: true, state: 'done' },
      { canary: false, state: 'done' },
    ],
  });
  t.ok(await all('2.0.0'));
  writeFileSync(go, '');
  for (const { code, stdout } of await Promise.all(through)) {
    t.equal(code, 0, 'a build that ran all the time');
    const lines = stdout.split('\n').filter((line) => line.startsWith('line '));
    t.same(
      lines,
      Array.from(lines, (_, n) => `line ${n + 1}`),
      'its log is whole',
    );
    t.match(stdout, /^last$/m);
  }

  writeSums(service.packages, [...made, await makePackage(service, '3.0.0', true)]);
  await admin('host', 'upgrade', '--all');
  await until(async () => (await ended()) !== null, 'the failure');
  const failed = await ended();
  t.match(failed, {
    status: 'failed',
    error: /^mac-[12]: Version 3.0.0 ended 3 times before it was ready; 2.0.0 runs/,
  });
  t.same(failed?.hosts.map(({ state }) => state).sort(), ['failed', 'left_out']);
  await until(() => all('2.0.0'), 'both are connected again');
  const health = await fetch(`${service.siteUrl}/healthz`);
  t.match(await health.text(), /upgrade of hosts to 3\.0\.0 was stopped/);
  t.match(await build('echo works'), { code: 0, stdout: /works/ });

  const { command, env } = first;
  const archive = join(service.packages, made[0]?.name ?? '');
  const sha256 = made[0]?.sha256 ?? '';
  const { stdout: byHand } = await run(command, ['host-agent', 'upgrade', archive, '--sha256', sha256], {
    env,
  });
  t.match(byHand, /version 1\.0\.0 works\n$/, 'an older version, by hand');
  await until(async () => (await hosts()).some(({ agent_version }) => agent_version === '1.0.0'), 'it is connected');
});
