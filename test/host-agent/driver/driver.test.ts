// The local driver: the conformance suite, and its own behavior.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { killUntilGone } from '../../../host-agent/driver/kill-until-gone.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { openDriver } from '../../../host-agent/driver/open.js';
import { parsePs } from '../../../host-agent/driver/process-table.js';
import { findXcodes } from '../../../host-agent/driver/xcodes.js';
import { parsePlist } from '../../../host-agent/system/plist.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import type { DesiredMac } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { tempFolder } from '../runner/rig.js';
import { scenarios } from './driver-conformance.js';
import { openLocal } from './driver-hosts.js';

t.test('the local driver passes the conformance suite', async (t) => {
  for (const scenario of Object.values(scenarios)) await scenario(t, openLocal);
});

const mac = desiredMac({ slot_id: 's1', account_id: 7 });
const bring = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});

t.test('the same driver is opened in another process by its spec', async (t) => {
  const driver = createLocalDriver({ dataDir: tempFolder(t), applicationsDir: '/nowhere' });
  await bring(driver, mac);
  const again = openDriver(JSON.parse(JSON.stringify(driver.spec)));
  t.same(await again.listMacs(), await driver.listMacs());
  t.equal(again.runs('s1'), driver.runs('s1'));
});

t.test('a Mac whose creation or removal was interrupted is never listed as complete', async (t) => {
  const dataDir = tempFolder(t);
  const driver = createLocalDriver({ dataDir });
  mkdirSync(path.join(dataDir, 'macs', 's1', 'work', 'half'), { recursive: true });
  mkdirSync(path.join(dataDir, 'macs', '.removed-s1', 'old'), { recursive: true });
  writeFileSync(path.join(dataDir, 'macs', 's1', 'mac.json'), '{"generation":');
  t.same(await driver.listMacs(), [{ slot_id: 's1', record: null }]);
  await bring(driver, mac);
  t.match(await driver.listMacs(), [{ slot_id: 's1', record: { generation: 1 } }]);
  t.same(readdirSync(driver.paths('s1').work), []);
  t.same(readdirSync(path.join(dataDir, 'macs')), ['s1']);

  const left = path.join(dataDir, 'macs', '.removed-s2');
  mkdirSync(path.join(left, 'home'), { recursive: true });
  t.match(await driver.listMacs(), [{ slot_id: 's1' }, { slot_id: 's2', record: null }], 'there is still something');
  await driver.remove('s2');
  t.notOk(existsSync(left));
});

t.test('processes are found where the data folder is reached through a link', async (t) => {
  const real = tempFolder(t);
  const link = path.join(tempFolder(t), 'link');
  symlinkSync(real, link);
  const driver = createLocalDriver({ dataDir: link });
  await bring(driver, mac);
  const child = spawn('sleep', ['4324'], { cwd: driver.paths('s1').work, env: {} });
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  await driver.remove('s1');
  t.equal(await ended, 'SIGKILL');
});

t.test('a shell of somebody else in the work folder is not killed', async (t) => {
  const driver = createLocalDriver({ dataDir: tempFolder(t) });
  await bring(driver, mac);
  const child = spawn('sleep', ['4325'], { cwd: driver.paths('s1').work, env: { HOME: '/root' } });
  t.teardown(() => child.kill('SIGKILL'));
  t.equal(await driver.signal('s1', { mark: 'CIDERMILL_TEST=nobody', session: null }, 'SIGKILL'), 0);
  t.equal(child.exitCode, null);
});

t.test("a build does not inherit the agent's configuration", async (t) => {
  process.env.CIDERMILL_HOST_CREDENTIAL = 'not for builds';
  t.teardown(() => {
    delete process.env.CIDERMILL_HOST_CREDENTIAL;
  });
  const driver = createLocalDriver({ dataDir: tempFolder(t) });
  const { env } = driver.launch('s1', ['true'], { A: '1' }, '/');
  t.same(Object.keys(env).sort(), 'A HOME LANG LOGNAME PATH SHELL TMPDIR USER XDG_CACHE_HOME'.split(' '));
});

t.test('folders without permissions are deleted by an ordinary user too', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cidermill-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const module = fileURLToPath(new URL('../../../host-agent/system/remove-tree.js', import.meta.url));
  const tree = path.join(folder, 'tree');
  const script = [
    `import { removeTree } from ${JSON.stringify(module)};`,
    `import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';`,
    `const tree = ${JSON.stringify(tree)};`,
    `mkdirSync(tree + '/a/b', { recursive: true }); writeFileSync(tree + '/a/b/c', '');`,
    `for (const f of ['/a/b/c', '/a/b', '/a', '']) chmodSync(tree + f, f === '/a/b' ? 0 : 0o444);`,
    'await removeTree(tree);',
  ].join('\n');
  // Nothing is read-only for root, so as root this runs as another user.
  const ids = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  spawnSync('chmod', ['0777', folder]);
  // tap's options for Node would write where this user may not.
  const plainNode = ['-c', 'NODE_OPTIONS= exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { status, stderr } = spawnSync('/bin/sh', plainNode, { ...ids, encoding: 'utf8' });
  t.equal(stderr, '');
  t.equal(status, 0);
  t.notOk(existsSync(tree));
});

t.test('a Mac is recreated after its build has locked files, also without root', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cidermill-test-'));
  t.teardown(() => {
    spawnSync('chattr', ['-R', '-f', '-i', '-a', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const module = fileURLToPath(new URL('../../../host-agent/driver/local-folders.js', import.meta.url));
  const script = (data: string) =>
    `import { createLocalFolders } from ${JSON.stringify(module)};
    import { spawnSync } from 'node:child_process';
    import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
    const data = ${JSON.stringify(data)}, macs = data + '/macs', slot = macs + '/s1';
    mkdirSync(data, { recursive: true });
    const folders = createLocalFolders(data);
    const locks = {
      ...{ 'chmod 0500 slot': [slot, 0o500], 'chmod 0 slot': [slot, 0], 'chmod 0500 macs': [macs, 0o500] },
      ...{ 'chmod 0 macs': [macs, 0], 'chmod 0 data': [data, 0], immutable: [slot, '+i'], 'append only': [slot, '+a'] },
    };
    for (const [name, [target, how]] of Object.entries(locks)) {
      for (const step of ['deleteRecord', 'remove', 'list', 'makeRoot']) {
        await folders.makeRoot();
        mkdirSync(slot, { recursive: true });
        writeFileSync(slot + '/mac.json', '{}');
        if (typeof how === 'number') chmodSync(target, how);
        // Some file systems have no such flags; the case is then trivial.
        else spawnSync(process.platform === 'darwin' ? 'chflags' : 'chattr', [
          process.platform === 'darwin' ? (how === '+i' ? 'uchg' : 'uappnd') : how, target]);
        await folders[step]('s1');
        await folders.deleteRecord('s1');
        if (existsSync(slot + '/mac.json')) throw new Error(name + ': the record exists after ' + step);
        await folders.remove('s1');
        if (existsSync(slot)) throw new Error(name + ': the Mac still exists');
      }
    }`;
  spawnSync('chmod', ['0777', folder]);
  const users = process.getuid?.() === 0 ? [{ uid: 65534, gid: 65534 }, {}] : [{}];
  for (const [i, ids] of users.entries()) {
    const argv = ['--input-type=module', '-e', script(path.join(folder, String(i)))];
    const plainNode = ['-c', 'NODE_OPTIONS= exec "$0" "$@"', process.execPath, ...argv];
    const { status, stderr } = spawnSync('/bin/sh', plainNode, { ...ids, encoding: 'utf8' });
    t.equal(stderr, '');
    t.equal(status, 0);
  }
});

t.test('Xcodes are found by their property lists, not by their names', async (t) => {
  const apps = tempFolder(t);
  const plist = (values: Record<string, string>) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">\n<plist version="1.0"><dict>${Object.entries(
      values,
    )
      .map(([key, value]) => `\n\t<key>${key}</key>\n\t<string>${value}</string>`)
      .join('')}\n</dict></plist>`;
  const app = (name: string, files: Record<string, Record<string, string>>) => {
    mkdirSync(path.join(apps, name, 'Contents', 'Developer'), { recursive: true });
    for (const [file, values] of Object.entries(files)) {
      writeFileSync(path.join(apps, name, 'Contents', file), plist(values));
    }
  };
  app('Xcode_old.app', {
    'version.plist': { CFBundleShortVersionString: '9.4.1', ProductBuildVersion: '9F2000' },
  });
  app('Xcode-26.1.app', {
    'Info.plist': { CFBundleShortVersionString: '26.1' },
    'version.plist': { CFBundleShortVersionString: '26.1', ProductBuildVersion: '17B55' },
  });
  app('Xcode.app', { 'Info.plist': { CFBundleShortVersionString: '26.0' } });
  app('Xcode-broken.app', {});
  app('Xcode-half-copied.app', {});
  writeFileSync(path.join(apps, 'Xcode-half-copied.app', 'Contents', 'Info.plist'), 'bplist00\xd1\x01');
  app('Xylophone.app', { 'version.plist': { CFBundleShortVersionString: '1' } });
  symlinkSync(path.join(apps, 'Xcode-26.1.app'), path.join(apps, 'Xcode-latest.app'));
  writeFileSync(path.join(apps, 'Xcode-file.app'), 'no folder');

  const dir = (name: string) => path.join(apps, name, 'Contents', 'Developer');
  t.same(await findXcodes(apps), [
    { version: '9.4.1', build: '9F2000', developer_dir: dir('Xcode_old.app') },
    { version: '26.0', build: null, developer_dir: dir('Xcode.app') },
    { version: '26.1', build: '17B55', developer_dir: dir('Xcode-26.1.app') },
  ]);
  t.same(await findXcodes('/no/such/folder'), []);

  const driver = createLocalDriver({ dataDir: tempFolder(t), applicationsDir: apps });
  t.equal(await driver.developerDir('26.1'), dir('Xcode-26.1.app'));
  t.equal((await driver.inventory()).xcodes.length, 3);
  await bring(driver, { ...mac, xcode: '26.0' });
  t.match(await driver.listMacs(), [{ record: { xcode: '26.0' } }]);
  t.equal(driver.launch('s1', ['true'], {}, '/').env.DEVELOPER_DIR, dir('Xcode.app'), 'builds get it');
  t.equal(driver.launch('s1', ['true'], { DEVELOPER_DIR: '/x' }, '/').env.DEVELOPER_DIR, '/x', 'or their own');
});

t.test('only top-level strings of a property list are read', async (t) => {
  const xml = `<plist><!-- <key>No</key><string>no</string> --><dict>
    <key>Nested</key><dict><key>CFBundleShortVersionString</key><string>wrong</string></dict>
    <key>List</key><array><string>a</string><dict/></array><key>Empty</key><dict/>
    <key>Flag</key><true/><key>Number</key><integer>3</integer>
    <key>CFBundleShortVersionString</key><string>1 &amp; 2 &lt;3&gt;</string><key>Nothing</key><string></string>
  </dict></plist>`;
  t.same(parsePlist(xml), { CFBundleShortVersionString: '1 & 2 <3>', Nothing: '' });
  t.same(parsePlist('not a property list'), {});
});

t.test('the process list of macOS is parsed', async (t) => {
  const entries = parsePs(
    [
      '    1     0     1 ??       Ss   /sbin/launchd',
      '  501   498   501 ttys003  Ss   /bin/bash -p -c stty HOME=/Macs/s1/home CIDERMILL_ARTIFACTS=/data dir/rb_1.1/artifacts',
      '  502   501   501 ttys003  Z    (sleep)',
      '  503     1   502 ??       S    sleep 100 CIDERMILL_ARTIFACTS=/data dir/rb_1.10/artifacts TERM=xterm',
      'garbage',
      '',
    ].join('\n'),
  );
  t.same(
    entries.map(({ pid, parent, group, terminal }) => [pid, parent, group, terminal]),
    [
      [1, 0, 1, null],
      [501, 498, 501, 'ttys003'],
      [503, 1, 502, null],
    ],
  );
  const mark = 'CIDERMILL_ARTIFACTS=/data dir/rb_1.1/artifacts';
  t.same(
    entries.filter(({ carries }) => carries(mark)).map(({ pid }) => pid),
    [501],
  );
});

t.test('killing is repeated until it finds nothing twice, or the time is over', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const run = async (counts: number[], forMs: number) => {
    let calls = 0;
    const result = killUntilGone(async () => counts[Math.min(calls++, counts.length - 1)] ?? 0, clock, forMs);
    let left: number | null = null;
    result.then((found) => {
      left = found;
    });
    while (left === null) await clock.advance(1);
    return { left, calls };
  };
  t.same(await run([0], 1000), { left: 0, calls: 2 });
  t.same(await run([3, 1, 0, 0], 1000), { left: 0, calls: 4 });
  t.same(await run([3, 0, 2, 0, 0], 1000), { left: 0, calls: 5 }, 'one that was between fork and exec');
  t.match(await run([2], 300), { left: 2 });
});
