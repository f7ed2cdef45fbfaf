// The package of the host agent: what is in it, and that its one program file is all of the agent.
// Runs in: soak
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import t, { type Test } from 'tap';
import { BUILD_COMMAND } from '../../../host-agent/contract/build-command.js';
import { hasArgument } from '../../../host-agent/driver/process-table.js';
import { textFile, writeArchive } from '../../../tools/package/archive.js';
import { bundleProgram } from '../../../tools/package/bundle-program.js';
import { packageHostAgent } from '../../../tools/package/host-agent.js';
import type { Runtime } from '../../../tools/package/runtime.js';
import { readMachO } from '../../harness/mach-o.js';
import { root, scriptRuntime } from '../../harness/package-here.js';
import { until } from '../../harness/until.js';
import { openDaemon, openHouse, pidOf } from '../../host-agent/runner/house.js';
import { newSpec, tempFolder } from '../../host-agent/runner/rig.js';

const VERSION = '1.2.3';
const TOP = `cidermill-host-agent-${VERSION}`;
const fakeMac: Runtime = {
  platform: 'darwin-arm64',
  version: '22.0.0',
  node: Buffer.from('not really node'),
  license: "Node's license",
};

const program = bundleProgram(root, VERSION);

/** Makes a package and unpacks it with tar, as an installer does. */
async function unpacked(t: Test, runtime: Runtime) {
  const out = tempFolder(t);
  const { name, sha256 } = await packageHostAgent({
    root,
    out,
    version: VERSION,
    runtime,
    program: await program,
  });
  const listing = execFileSync('tar', ['-tvzf', path.join(out, name), '--numeric-owner'], {
    encoding: 'utf8',
  });
  execFileSync('tar', ['-xzf', path.join(out, name), '-C', out]);
  return { out, name, sha256, listing: listing.trimEnd().split('\n'), top: path.join(out, TOP) };
}

t.test('the package for Macs', async (t) => {
  const { name, listing, top } = await unpacked(t, fakeMac);
  t.equal(name, 'cidermill-host-agent-1.2.3-darwin-arm64.tar.gz');
  const native = 'lib/node-pty/prebuilds/darwin-arm64';
  const pty = ['eventEmitter2', 'index', 'terminal', 'unixTerminal', 'utils'];
  const files = [
    'LICENSE',
    'NOTICES',
    'bin/cidermill',
    'bin/node',
    'lib/cidermill.mjs',
    'lib/node-pty/LICENSE',
    ...pty.map((module) => `lib/node-pty/lib/${module}.js`),
    'lib/node-pty/package.json',
    `${native}/pty.node`,
    `${native}/spawn-helper`,
    'package.json',
  ];
  const programs = ['bin/cidermill', 'bin/node', `${native}/spawn-helper`];
  const [listed, folders] = [
    listing.filter((line) => line.startsWith('-')),
    listing.filter((line) => !line.startsWith('-')),
  ];
  t.same(
    listed.map((line) => line.split(/\s+/).at(-1)),
    files.map((file) => `${TOP}/${file}`),
    'nothing else',
  );
  for (const line of listed) {
    const mode = programs.some((file) => line.endsWith(`/${file}`)) ? '-rwxr-xr-x' : '-rw-r--r--';
    t.match(line, new RegExp(`^${mode} 0/0 +\\d+ 1985-10-26 `), line);
  }
  for (const line of folders) t.match(line, /^drwxr-xr-x 0\/0 +0 1985-10-26 /);

  for (const file of [`${native}/pty.node`, `${native}/spawn-helper`]) {
    t.same(readMachO(readFileSync(path.join(top, file))), { cpu: 'arm64', signed: true }, file);
  }
  t.match(JSON.parse(readFileSync(path.join(top, 'package.json'), 'utf8')), {
    name: 'cidermill-host-agent',
    version: VERSION,
  });
  const notices = readFileSync(path.join(top, 'NOTICES'), 'utf8');
  for (const title of [/^node-pty 1/m, /^zod 4/m, /^ws 8/m, /^Node\.js 22\.0\.0/m, /^Node's license/m]) {
    t.match(notices, title);
  }
});

t.test('an archive depends on its contents only', async (t) => {
  const out = tempFolder(t);
  const files = [textFile('b/c/d', 'one'), textFile('b/a', 'two', true), textFile('é', 'three')];
  const first = await writeArchive(path.join(out, 'first.tgz'), 'top', files);
  const second = await writeArchive(path.join(out, 'second.tgz'), 'top', files.toReversed());
  t.equal(second, first);
  t.same(readFileSync(path.join(out, 'second.tgz')), readFileSync(path.join(out, 'first.tgz')));
  t.equal(execFileSync('sha256sum', ['first.tgz'], { cwd: out, encoding: 'utf8' }), `${first}  first.tgz\n`);
  await t.rejects(writeArchive(path.join(out, 'none/x.tgz'), 'top', files), { code: 'ENOENT' });
  t.same(readdirSync(out).sort(), ['first.tgz', 'second.tgz'], 'nothing partial is left');
});

t.test('the program file', async (t) => {
  const { top, out } = await unpacked(t, scriptRuntime);
  await t.test('builds run in it, and another version ends them', (t) => buildsRun(t, top));

  const text = readFileSync(path.join(top, 'lib/cidermill.mjs'), 'utf8');
  const imported = [...text.matchAll(/^import\b(?:[^'"\n]*from)? ?["']([^"'\n]+)["'];/gm)].map(([, n]) => n);
  t.ok(imported.length > 20, 'the search finds what it looks for');
  const strangers = imported.filter((name) => !name?.startsWith('node:') && !builtinModules.includes(name ?? ''));
  t.same(strangers, [], 'imports are modules of node');
  t.match(text, /__require\("\.\/node-pty\/lib\/index\.js"\)/);
  for (const absent of ['better-sqlite3', 'argon2', 'fastify', 'control-plane/', root]) {
    t.notOk(text.includes(absent), `no ${absent}`);
  }
  const folder = path.join(root, 'host-agent/guest/programs');
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(path.join(folder, name), 'utf8').split('\n');
    const plain = lines.filter((line) => /^[^\\'"`$]{12,}$/.test(line));
    t.ok(plain.length > 0 && plain.every((line) => text.includes(line)), `${name} is inside`);
  }

  // As it is installed: versions beside each other, a link to the current one, a link to the command.
  const versions = path.join(out, 'versions with space');
  mkdirSync(versions);
  renameSync(top, path.join(versions, VERSION));
  symlinkSync(path.join('versions with space', VERSION), path.join(out, 'current'));
  symlinkSync('current/bin/cidermill', path.join(out, 'link'));
  const command = path.join(out, 'cidermill');
  symlinkSync(path.join(out, 'link'), command);
  const run = (...args: string[]) => spawnSync(command, args, { encoding: 'utf8', cwd: '/' });
  t.match(run('--version'), { status: 0, stdout: `${VERSION}\n`, stderr: '' });
  // A shell that looks for folders elsewhere too.
  const env = { ...process.env, CDPATH: '/usr' };
  const near = spawnSync('bin/cidermill', ['--version'], {
    encoding: 'utf8',
    cwd: path.join(out, 'current'),
    env,
  });
  t.match(near, { status: 0, stdout: `${VERSION}\n` });
  t.match(run('host-agent', '--help'), { status: 0, stdout: /^ +enroll .*^ +run .*^ +doctor /ms });
  t.match(run('build'), { status: 64, stdout: '', stderr: /This package holds the host agent/ });
  t.match(run('--help'), { status: 0, stdout: /cidermill host-agent <command>/ });
});

async function buildsRun(t: Test, top: string): Promise<void> {
  const house = await openHouse(t);
  const daemon = openDaemon(t, house, { warmProcesses: 1 }, path.join(top, 'lib/cidermill.mjs'));
  const short = newSpec('test -t 1 && echo "on a terminal"');
  await daemon.start(short, []);
  t.match(await daemon.end(short), { exit_code: 0 });
  t.match(await daemon.log(short), /^on a terminal\r?$/m);

  const long = newSpec('echo begin; sleep 4335');
  await daemon.start(long, []);
  await until(async () => (await daemon.log(long)).includes('begin'), 'it prints');
  await daemon.close();
  // Its build processes run another program file.
  const next = openDaemon(t, house, { warmProcesses: 0 });
  await next.adopt();
  const pid = pidOf(house, long);
  t.ok(await hasArgument(pid, BUILD_COMMAND), 'a daemon knows it by its argument');
  next.stop(long, 'cancelled_by_user');
  t.match(await next.end(long), { outcome: 'stopped' });
  await until(() => !existsSync(`/proc/${pid}`), 'its process is gone');
}
