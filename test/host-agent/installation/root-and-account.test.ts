// What root's commands run, read and delete on a machine whose agent's account wants to become root.
// Runs in: soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { agentStatus } from '../../../host-agent/cli/status.js';
import { uninstall } from '../../../host-agent/cli/uninstall.js';
import { daemonOf } from '../../../host-agent/cli/upgrade.js';
import { asUser } from '../../../host-agent/installation/as-user.js';
import { makeFolder, makeFolderOf } from '../../../host-agent/installation/folders.js';
import { installPaths } from '../../../host-agent/installation/paths.js';
import { readTrial } from '../../../host-agent/installation/trial.js';
import { upgradeByHand } from '../../../host-agent/installation/upgrade-by-hand.js';
import { currentVersion, makeCurrent } from '../../../host-agent/installation/versions.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { takeLock } from '../../../host-agent/system/lock.js';
import { systemClock } from '../../../shared/clock.js';
import { startLinkService } from '../../harness/link-service.js';
import { unpackedPackage, writePackage } from '../../harness/macos/installation.js';
import { until } from '../../harness/until.js';
import { tempFolder } from '../runner/rig.js';
import { pack } from './small-package.js';

const started = startLinkService(t);
const BUILD = { uid: 501, gid: 20 };

/** A Mac with tart, whose agent runs in the session of the user `build` and may replace its program. */
async function tartMac(t: Test) {
  const service = await started;
  const mac = unpackedPackage(t, service.siteUrl);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const tokenFile = join(mac.mac.root, 'token');
  writeFileSync(tokenFile, `${token}\n`);
  mac.mac.set('session-501');
  mac.mac.set('at-screen', 'build');
  t.equal(await mac.install({ tokenFile, driver: 'tart' }), 0, mac.printed());
  mac.printed();
  const restart = () => mac.deps.tools?.('/bin/launchctl', ['kickstart', '-k', 'gui/501/cidermill.host-agent']);
  return Object.assign(mac, { restart });
}

/** A folder of root with a file. */
function victimOf(t: Test): { folder: string; file: string } {
  const folder = join(tempFolder(t), 'victim');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'untouched', { mode: 0o600 });
  return { folder, file: join(folder, 'file') };
}

t.test('the agent keeps what it has upgraded itself to, and gets what an installer brings', async (t) => {
  const mac = await tartMac(t);
  const { paths, printed } = mac;
  asUser(BUILD, () => {
    mkdirSync(join(paths.agent.versions, '10.0.0/bin'), { recursive: true });
    writeFileSync(join(paths.agent.versions, '10.0.0/bin/cidermill'), '');
    makeCurrent(paths.agent, '10.0.0');
  });
  mac.agent = { link: 'up', version: '10.0.0', builds: 0 };
  await mac.restart();
  t.equal(await mac.install(), 0);
  t.match(printed(), /ok +agent's program: version 10\.0\.0, which the agent has[\s\S]*ok +launchd: /);

  // The installer has unpacked another version for root, also an older one.
  writePackage(paths, '9.0.0');
  Object.assign(mac.deps, { script: join(paths.versions, '9.0.0/lib/cidermill.mjs') });
  t.equal(await mac.install(), 0);
  t.match(printed(), /done +agent's program: copy version 9\.0\.0[\s\S]*done +program: make version 9\.0\.0/);
  t.same([currentVersion(paths), currentVersion(paths.agent)], ['9.0.0', '9.0.0']);

  // Whatever the account has made of its copy, it is repaired, and root goes nowhere by its links.
  const victim = victimOf(t);
  asUser(BUILD, () => {
    rmSync(join(paths.agent.versions, '9.0.0/lib'), { recursive: true });
    symlinkSync(victim.folder, join(paths.agent.versions, '9.0.0/lib'));
    rmSync(paths.agent.current);
    symlinkSync(victim.folder, paths.agent.current);
    symlinkSync(victim.file, join(paths.agent.root, 'current.new'));
    symlinkSync(victim.file, join(paths.agent.versions, `.new-${process.pid}`));
  });
  t.equal(await mac.install(), 0);
  t.match(lstatSync(join(paths.agent.versions, '9.0.0/lib/cidermill.mjs')), { uid: 501 });
  t.same(readdirSync(victim.folder), ['file']);
  t.match({ ...statSync(victim.file) }, { uid: 0, mode: 0o100600 });

  t.equal(await mac.install({ selfUpgrade: false }), 0);
  t.match(printed(), /done +agent's program: delete /);
  t.notOk(existsSync(paths.agent.root));
  t.equal(await mac.install(), 0, 'and it stays so');
  t.notOk(existsSync(paths.agent.root));
});

t.test('root does not install from a program that the account can change', async (t) => {
  const mac = await tartMac(t);
  const { paths } = mac;
  for (const path of [paths.root, paths.versions, join(paths.versions, '9.9.9/lib')]) {
    chownSync(path, BUILD.uid, BUILD.gid);
    const refusal = `users other than root can change ${path}, so root must not run the program there. Run the installer`;
    await t.rejects(mac.install(), { message: new RegExp(refusal) });
    chownSync(path, 0, 0);
  }
  chmodSync(join(paths.versions, '9.9.9/lib/cidermill.mjs'), 0o666);
  await t.rejects(mac.install(), /users other than root can change/);
  chmodSync(join(paths.versions, '9.9.9/lib/cidermill.mjs'), 0o644);
  // The command for root is in a folder of root, or nowhere.
  chownSync(dirname(paths.command), BUILD.uid, BUILD.gid);
  mac.printed();
  t.equal(await mac.install(), 0);
  t.match(mac.printed(), /left out +command: users other than root can change \S+\/bin, so `sudo cidermill` could/);
});

t.test('uninstall deletes nothing that the account leads it to', async (t) => {
  const mac = await tartMac(t);
  const { paths, deps } = mac;
  const victim = victimOf(t);
  const plist = paths.agentPlist('/Users/build');
  const honest = readFileSync(plist, 'utf8');
  asUser(BUILD, () => {
    writeFileSync(plist, honest.replaceAll(paths.data, victim.folder));
    symlinkSync(victim.folder, join(paths.agent.root, 'more'));
    symlinkSync(victim.folder, join(paths.data, 'more'));
    rmSync(join(paths.data, 'credential.json'));
    symlinkSync(victim.file, join(paths.data, 'credential.json'));
  });
  t.equal(await uninstall({ deleteData: true }, deps), 0, mac.printed());
  t.same(readdirSync(victim.folder), ['file']);
  for (const gone of [paths.root, paths.data, plist]) t.notOk(existsSync(gone), gone);

  const other = await tartMac(t);
  chownSync(other.paths.data, 0, 0);
  t.equal(await uninstall({ deleteData: true, force: true }, other.deps), 78);
  t.match(other.printed(), /belongs to root, and no agent's data does/);
});

t.test('root reads in the data folder what its owner could read', async (t) => {
  const mac = await tartMac(t);
  const { paths, deps } = mac;
  const state = JSON.parse(readFileSync(join(paths.data, 'agent-state.json'), 'utf8'));
  const secret = join(tempFolder(t), 'secret');
  writeFileSync(secret, JSON.stringify(state), { mode: 0o600 });
  asUser(BUILD, () => {
    rmSync(join(paths.data, 'agent-state.json'));
    symlinkSync(secret, join(paths.data, 'agent-state.json'));
  });
  t.match(await agentStatus({}, deps), { agent: null, unreadable: /belongs to another user/ });
  asUser(BUILD, () => {
    rmSync(join(paths.data, 'agent-state.json'));
    const name = 'mini\x1b]52;c;eA==\x07';
    writeFileSync(join(paths.data, 'agent-state.json'), JSON.stringify({ ...state, name }));
  });
  t.match(await agentStatus({}, deps), { agent: { name: 'mini' } });
});

t.test('folders are given only as what root has made', async (t) => {
  const folder = tempFolder(t);
  chmodSync(folder, 0o755);
  const before = process.umask(0o077);
  t.teardown(() => process.umask(before));
  makeFolder(join(folder, 'a/b'));
  t.same([statSync(join(folder, 'a')).mode & 0o777, statSync(join(folder, 'a/b')).mode & 0o777], [0o755, 0o755]);
  makeFolderOf(join(folder, 'data'), BUILD, 0o700);
  t.match({ ...statSync(join(folder, 'data')) }, { uid: 501, mode: 0o40700 });
  const victim = victimOf(t);
  linkSync(victim.file, join(folder, 'hard'));
  symlinkSync(victim.folder, join(folder, 'soft'));
  for (const name of ['hard', 'soft']) {
    t.throws(() => makeFolderOf(join(folder, name), BUILD, 0o700), { code: 'EEXIST' });
  }
  t.match(statSync(victim.file), { uid: 0 });
});

t.test('an upgrade by hand as root checks the package where only root writes, then hands it over', async (t) => {
  const rig = tempFolder(t);
  chmodSync(rig, 0o755);
  const paths = installPaths(rig);
  writePackage(paths, '1.0.0');
  makeCurrent(paths, '1.0.0');
  makeFolderOf(paths.agent.root, BUILD, 0o755);
  asUser(BUILD, () => {
    mkdirSync(join(paths.agent.versions, '1.0.0'), { recursive: true });
    makeCurrent(paths.agent, '1.0.0');
  });
  const { file, sha256 } = pack(rig, '2.0.0');
  const victim = victimOf(t);
  asUser(BUILD, () => symlinkSync(victim.file, join(paths.agent.root, 'trial.new')));
  const by = (end: () => boolean) =>
    upgradeByHand({
      installation: { ...paths, version: '1.0.0' },
      agent: { paths: paths.agent, owner: BUILD },
      archive: file,
      sha256,
      offline: true,
      limits: defaultDaemonLimits,
      clock: systemClock,
      say() {},
      daemon: { ownsVersions: false, end, runs: () => false },
      signal: new AbortController().signal,
    });
  await t.rejects(
    by(() => false),
    { code: 'ELOOP' },
  );
  t.equal(readFileSync(victim.file, 'utf8'), 'untouched');
  rmSync(join(paths.agent.root, 'trial.new'));
  const before = process.umask(0o077);
  t.teardown(() => process.umask(before));
  const upgraded = by(() => true);
  await until(() => currentVersion(paths.agent) === '2.0.0', 'the agent would be started');
  t.match(
    asUser(BUILD, () => readTrial(paths.agent)),
    { to: '2.0.0', from: '1.0.0', needs: 'start' },
  );
  t.equal(currentVersion(paths), '1.0.0', 'root keeps what works until it does');
  asUser(BUILD, () => {
    writeFileSync(
      join(paths.agent.root, 'last-upgrade.json'),
      JSON.stringify({ attempt: null, version: '2.0.0', state: 'idle', error: null }),
    );
    rmSync(join(paths.agent.root, 'trial'));
  });
  await upgraded;
  t.equal(currentVersion(paths), '2.0.0');
  t.match(statSync(join(paths.versions, '2.0.0')), { uid: 0 });
  t.equal(statSync(join(paths.versions, '2.0.0')).mode & 0o777, 0o755, 'others run it');
  t.match(statSync(join(paths.agent.versions, '2.0.0/bin/cidermill')), { uid: 501 });
});

t.test('root ends no process of another user for the account', async (t) => {
  const data = join(tempFolder(t), 'data');
  chmodSync(dirname(data), 0o755);
  makeFolderOf(data, BUILD, 0o700);
  const paths = { ...installPaths(dirname(data)), version: '1.0.0' };
  mkdirSync(paths.versions, { recursive: true });
  // The lock names a process of root: this one.
  const lock = asUser(BUILD, () => takeLock(data));
  t.throws(() => daemonOf(data, paths).end(), {
    message: `the process ${process.pid} is not one of the agent's account`,
  });
  asUser(BUILD, () => lock.release());
  const child = spawn('/bin/sleep', ['60'], { ...BUILD });
  t.teardown(() => child.kill('SIGKILL'));
  const born = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(' ')[21];
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  asUser(BUILD, () =>
    writeFileSync(join(data, 'agent.lock'), JSON.stringify({ pid: child.pid, born: `${boot} ${born}`, nonce: 'abc' })),
  );
  t.equal(daemonOf(data, paths).end(), true);
  const [, signal] = await once(child, 'exit');
  t.equal(signal, 'SIGTERM');
});
