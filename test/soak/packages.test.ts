// All packages, as `npm run package` makes them with the real Node for Macs, and a whole service from them: the command line
// and a host by the installers' lines, with real downloads, and a first build.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parsePublicKey } from '../../shared/minisign.js';
import { bundleProgram } from '../../tools/package/bundle-program.js';
import { packageHostAgent } from '../../tools/package/host-agent.js';
import { fetchRuntime, macRuntime } from '../../tools/package/runtime.js';
import { openKey, signSums } from '../../tools/package/signing.js';
import { readMachO } from '../harness/mach-o.js';
import { root } from '../harness/package-here.js';
import { until } from '../harness/until.js';
import { tempFolder } from '../host-agent/runner/rig.js';

const TOKEN = 'operator-token-of-a-soak-test';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sh = (script: string, env: NodeJS.ProcessEnv, cwd: string) =>
  execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH, ...env }, cwd });

t.test('packages', async (t) => {
  const out = tempFolder(t);
  const key = join(tempFolder(t), 'key.pem');
  const options = ['--out', out, '--this-machine', '--signing-key', key];
  const run = () => execFileSync(process.execPath, [join(root, 'dist/tools/package/package.js'), ...options]);
  run();
  const signature = readFileSync(join(out, 'SHA256SUMS.minisig'));
  run();
  t.ok(readFileSync(join(out, 'SHA256SUMS.minisig')).equals(signature), 'again, the same bytes');
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out });
  await t.test('the Node for Macs', (t) => macPackage(t, out));
  await t.test('a service from its packages', (t) => wholeService(t, out));
});

async function macPackage(t: Test, out: string): Promise<void> {
  const name = `cidermill-host-agent-${version}-darwin-arm64.tar.gz`;
  const top = `cidermill-host-agent-${version}`;
  const node = execFileSync('tar', ['-xzOf', join(out, name), `${top}/bin/node`], {
    maxBuffer: 256 * 1024 ** 2,
  });
  t.same(readMachO(node), { cpu: 'arm64', signed: true });
  t.ok(node.includes(`v${macRuntime.version}`), 'of the pinned version');

  const again = tempFolder(t);
  const runtime = await fetchRuntime(macRuntime, join(root, 'node_modules/.cache/cidermill'));
  const { text } = parsePublicKey(readFileSync(join(out, 'cidermill.pub'), 'utf8'));
  const program = await bundleProgram(root, version, [text]);
  const { sha256 } = await packageHostAgent({ root, out: again, version, runtime, program });
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  t.ok(sums.includes(`${sha256}  ${name}\n`), 'the same sources make the same bytes');
}

async function wholeService(t: Test, packages: string): Promise<void> {
  const folder = tempFolder(t);
  execFileSync('tar', ['-xzf', join(packages, `cidermill-${version}.tgz`), '-C', folder]);
  const full = join(folder, 'package');
  // What `npm install` would fetch and compile.
  symlinkSync(join(root, 'node_modules'), join(full, 'node_modules'));
  const service = start(t, process.execPath, [join(full, 'dist/control-plane/main.js')], {
    CIDERMILL_DATA: join(folder, 'data'),
    CIDERMILL_PORT: '0',
    CIDERMILL_PACKAGES: packages,
    CIDERMILL_OPERATOR_TOKEN: TOKEN,
  });
  await until(() => /"msg":"listening"/.test(service.text()), 'the service listens');
  const site = /"siteUrl":"(http:[^"]+)","msg":"listening"/.exec(service.text())?.[1] ?? '';

  const script = /src="([^"]+\.js)"/.exec(sh(`curl -fsS ${site}/sign-in`, {}, folder))?.[1];
  t.match(sh(`curl -fsSI ${site}${script}`, {}, folder), /javascript/, 'the console is in the package');

  const prefix = join(folder, 'a prefix');
  t.match(
    sh(`curl -fsSL ${site}/install/cli | sh -s -- --prefix '${prefix}'`, {}, folder),
    `installed cidermill ${version}`,
  );
  const file = join(packages, `cidermill-cli-${version}.tgz`);
  sh(`npm install --global --offline --prefix by-npm '${file}'`, { HOME: folder }, folder);
  t.equal(sh('by-npm/bin/cidermill --version', {}, folder), `${version}\n`, 'npm needs no registry for it');
  const command = join(prefix, 'bin/cidermill');
  const env = { CIDERMILL_OPERATOR_URL: site, CIDERMILL_OPERATOR_TOKEN: TOKEN, HOME: folder };
  const admin = (line: string) => sh(`'${command}' admin ${line}`, env, folder);
  admin('tier add --tier m4 --name Mini --price-won 1000');
  admin('host enroll --tier m4 --slots 1 | head -n 1 > token');
  const install = (options: string) =>
    sh(`curl -fsSL ${site}/install/host-agent | sh -s -- --prefix '${prefix}' ${options}`, {}, folder);
  const options = '--token-file token --driver local --allow-unisolated';
  t.match(install(`${options} --dry-run`), /^would do +program: make version .*Nothing was changed/ms);
  t.match(install(options), /^done +enrollment: enrolled as /m);
  t.match(
    install(options),
    /is signed with the key [0-9A-F]{16}\n[\s\S]*^ok +enrollment: /m,
    'again, with a token that is used up, and checked by the program that is installed',
  );

  const agent = join(prefix, 'usr/local/bin/cidermill');
  const data = join(prefix, 'usr/local/var/cidermill');
  const daemon = start(t, agent, ['host-agent', 'run', '--data', data], {});
  await until(() => / active /.test(admin('host list')), 'the host is connected');
  admin('org create --name Team');
  const key = /cm_\w+/.exec(admin('key create --org team --name ci --levels read,build,manage'))?.[0] ?? '';
  admin('rental grant --org team --tier m4 --forever');
  mkdirSync(join(folder, 'app'));
  writeFileSync(
    join(folder, 'app/build.sh'),
    'echo "built on $(uname -s)"; echo done >"$CIDERMILL_ARTIFACTS/result"\n',
  );
  const client = { CIDERMILL_URL: `${site}/api/v1`, CIDERMILL_API_KEY: key, HOME: folder };
  const log = sh(`'${command}' build --dir app --script 'sh build.sh' --artifacts out`, client, folder);
  t.match(log, `built on ${sh('uname -s', {}, folder)}`);
  t.equal(readFileSync(join(folder, 'out/result'), 'utf8'), 'done\n');
  t.match(spawnSync(agent, ['host-agent', 'status', '--data', data]).stdout.toString(), /^service: .*connected since/m);

  const { text } = parsePublicKey(readFileSync(join(packages, 'cidermill.pub'), 'utf8'));
  const status = spawnSync(agent, ['host-agent', 'status', '--data', data]).stdout.toString();
  t.match(status, `${text}\n`);
  // An attacker runs the service now: its packages are signed with another key.
  const other = openKey(join(folder, 'other.pem'), { outsideOf: [], say() {} });
  const signed = readFileSync(join(packages, 'SHA256SUMS.minisig'));
  signSums(packages, other);
  t.throws(() => install(options), /is signed with the key .*, not with/);
  writeFileSync(join(packages, 'SHA256SUMS.minisig'), signed);

  await daemon.stop();
  install('--uninstall --delete-data');
  sh(`curl -fsSL ${site}/install/cli | sh -s -- --prefix '${prefix}' --uninstall`, {}, folder);
  t.equal(sh(`find '${prefix}' ! -type d`, {}, folder), '', 'nothing is left');
}

function start(t: Test, file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child: ChildProcess = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    env: { PATH: process.env.PATH, ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (text += piece));
  const stop = async () => {
    if (child.exitCode !== null || !child.kill('SIGTERM')) return;
    await once(child, 'exit');
  };
  t.teardown(stop);
  return { text: () => text, stop };
}
