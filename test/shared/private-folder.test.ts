// On startup, data folders become inaccessible to other users.
// Runs in: soak
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { withService } from '../../control-plane/admin/service.js';
import { createControlPlane } from '../../control-plane/index.js';
import { StartError } from '../../control-plane/start-error.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { checkFolderOwner, createPrivateFile, ForeignFolderError, makePrivate } from '../../shared/private-folder.js';
import { startLinkService } from '../harness/link-service.js';

const mode = (file: string) => (lstatSync(file).mode & 0o777).toString(8);
const env = (data: string) => ({ CIDERMILL_DATA: data, CIDERMILL_PORT: '0' });

/** Returns a log that keeps its lines. */
function linesOf() {
  const lines: { level: number; msg: string; repaired?: { path: string; mode: string; below?: number }[] }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { lines, log: createLog('test', 'warn', { write }) };
}

function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) {
    const inside = join(folder, name);
    const found = lstatSync(inside);
    if (found.isDirectory()) openToAll(inside);
    else if (found.isFile()) chmodSync(inside, 0o644);
  }
}

/** Returns the paths with permissions for other users. */
function openPaths(folder: string): string[] {
  const open = (statSync(folder).mode & 0o077) === 0 ? [] : [folder];
  const inside = readdirSync(folder).flatMap((name) => {
    const at = join(folder, name);
    const found = lstatSync(at);
    if (found.isDirectory()) return openPaths(at);
    return found.isFile() && (found.mode & 0o077) !== 0 ? [at] : [];
  });
  return [...open, ...inside];
}

/** Returns a folder of another user. */
function foreignFolder(t: Test): string {
  if (process.getuid?.() !== 0) return '/';
  const folder = t.testdir();
  chownSync(folder, 65534, 65534);
  return folder;
}

t.test('permissions of other users are removed and reported; private files are not changed', async (t) => {
  const content = { closed: { deep: '' }, open: { deep: '', below: { deeper: '' } }, 'data.db': '' };
  const root = t.testdir({ folder: content, elsewhere: { target: '' } });
  const folder = join(root, 'folder');
  openToAll(folder);
  chmodSync(join(folder, 'closed'), 0o700);
  const elsewhere = join(root, 'elsewhere');
  symlinkSync(join(elsewhere, 'target'), join(folder, 'open', 'link'));
  const before = mode(join(elsewhere, 'target'));
  t.same(makePrivate(folder, ['closed', 'open']), [
    { path: '.', mode: '0755' },
    { path: 'data.db', mode: '0644' },
    { path: 'open', mode: '0755', below: 3 },
  ]);
  t.same([mode(folder), mode(join(folder, 'data.db'))], ['700', '600']);
  t.same(openPaths(join(folder, 'open')), []);
  t.equal(mode(join(folder, 'closed', 'deep')), '644', 'nobody can reach it');
  t.equal(mode(join(elsewhere, 'target')), before, 'links are not followed');
  t.same(makePrivate(folder, ['closed', 'open']), [], 'once');
});

t.test('links in the folder are followed only where an operator could have created them', async (t) => {
  const root = t.testdir({ folder: {}, elsewhere: { contents: { deep: '' }, home: {}, file: '' } });
  const folder = join(root, 'folder');
  openToAll(root);
  for (const [name, target] of [
    ['contents', 'contents'],
    ['desk', 'home'],
    ['note', 'file'],
    ['gone', 'nowhere'],
  ] as const) {
    symlinkSync(join(root, 'elsewhere', target), join(folder, name));
  }
  // Nobody can change the mode of this file.
  symlinkSync('/proc/self/status', join(folder, 'secret.key'));
  const repaired = makePrivate(folder, ['contents'], ['secret.key']);
  t.same(
    repaired.filter(({ path }) => path !== 'secret.key'),
    [
      { path: '.', mode: '0755' },
      { path: 'contents', mode: '0755', below: 1 },
    ],
  );
  if (existsSync('/proc/self/status') && process.getuid?.() === 0) {
    t.match(repaired.at(-1), { path: 'secret.key', mode: '0444', failed: /^E/ });
  }
  const at = (name: string) => statSync(join(root, 'elsewhere', name)).mode & 0o777;
  t.same([at('home'), at('file'), at('contents')], [0o755, 0o644, 0o700]);
  if (process.getuid?.() !== 0) return;
  chmodSync(join(root, 'elsewhere', 'contents'), 0o755);
  lchownSync(join(folder, 'contents'), 65534, 65534);
  makePrivate(folder, ['contents']);
  t.equal(at('contents'), 0o755, 'a link that another user created is not followed');
});

t.test('an existing file is not opened, and a new one is private', async (t) => {
  const folder = t.testdir({ present: 'content' });
  createPrivateFile(join(folder, 'present'));
  t.equal(statSync(join(folder, 'present')).size, 7);
  createPrivateFile(join(folder, 'new'));
  t.equal(mode(join(folder, 'new')), '600');
});

t.test('the control plane makes its data folder private and logs it once', async (t) => {
  const data = join(t.testdir(), 'data');
  const first = await createControlPlane({ env: env(data), log: createLog('test', 'fatal') });
  t.same(openPaths(data), [], 'a new folder is private while the service runs, including database and write-ahead log');
  t.ok(existsSync(join(data, 'cidermill.db-wal')));
  await first.stop();
  mkdirSync(join(data, 'contents', 'ab'));
  writeFileSync(join(data, 'contents', 'ab', 'content'), 'content');
  writeFileSync(join(data, 'backup.db'), 'an old backup');
  openToAll(data);

  const { lines, log } = linesOf();
  const second = await createControlPlane({ env: env(data), log });
  t.teardown(() => second.stop());
  t.same(openPaths(data), []);
  const said = lines.filter((line) => line.repaired);
  t.equal(said.length, 1);
  t.match(said[0], { level: 40, msg: /^other users could read the data folder/ });
  const named = new Map(said[0]?.repaired?.map((one) => [one.path, one]));
  for (const name of ['backup.db', 'cidermill.db', 'secret.key']) {
    t.same(named.get(name), { path: name, mode: '0644' });
  }
  t.equal(named.get('contents')?.mode, '0755');
  t.ok((named.get('contents')?.below ?? 0) >= 2);
});

t.test('a folder of another user is refused', async (t) => {
  const folder = foreignFolder(t);
  t.throws(() => checkFolderOwner(folder), ForeignFolderError);
  const started = createControlPlane({ env: env(folder), log: createLog('test', 'fatal') });
  await t.rejects(started, { constructor: StartError, message: /belongs to the user \d+.*run it as/ });
  await t.rejects(createHostAgent({ dataDir: folder }).start(), ForeignFolderError);
  const config = { control_plane: 'http://127.0.0.1:1' };
  await t.rejects(
    enrolHost({ dataDir: folder, config, token: 'cme_x' }),
    ForeignFolderError,
    'before it sends the token',
  );
  t.notOk(existsSync(join(folder, 'service.lock')), 'nothing is written');
  t.doesNotThrow(() => checkFolderOwner(join(t.testdir(), 'missing')));
});

t.test('admin commands refuse the data of another user', async (t) => {
  if (process.getuid?.() !== 0) return t.throws(() => checkFolderOwner('/'), ForeignFolderError);
  const data = join(t.testdir(), 'data');
  await (await createControlPlane({ env: env(data), log: createLog('test', 'fatal') })).stop();
  chownSync(data, 65534, 65534);
  await t.rejects(
    withService(data, async () => undefined),
    ForeignFolderError,
  );
});

const stopped = async (t: Test) => {
  const data = join(t.testdir(), 'data');
  await (await createControlPlane({ env: env(data), log: createLog('test', 'fatal') })).stop();
  return data;
};
const partials = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.partial'));

t.test('a backup is private from its first byte', async (t) => {
  const data = await stopped(t);
  const file = join(data, 'copy.db');
  const seen = new Set<string>();
  let done = false;
  const look = () => {
    for (const at of [file, ...partials(data).map((name) => join(data, name))]) {
      const found = statSync(at, { throwIfNoEntry: false });
      if (found) seen.add((found.mode & 0o777).toString(8));
    }
    if (!done) setTimeout(look, 0);
  };
  await withService(data, async (service) => {
    const written = service.backup(file);
    look();
    await written;
  });
  done = true;
  t.same([...seen], ['600']);
  t.same(partials(data), []);
});

t.test('backups to the same file at the same time are each complete, and a failed one leaves nothing', async (t) => {
  const data = await stopped(t);
  const file = join(data, 'copy.db');
  const copies = await withService(data, async (service) => {
    // It has more pages than one step of a backup copies.
    for (let i = 0; i < 40; i++) await service.organizations.create({ name: `org ${i} ${'x'.repeat(100)}` });
    await Promise.all([1, 2, 3].map(() => service.backup(file)));
    mkdirSync(join(data, 'folder', 'inside'), { recursive: true });
    await t.rejects(service.backup(join(data, 'folder')));
    return new Database(file, { readonly: true });
  });
  t.same(copies.pragma('integrity_check', { simple: true }), 'ok');
  t.equal(copies.prepare('SELECT count(*) FROM organizations').pluck().get(), 40);
  copies.close();
  t.same(partials(data), []);
});

t.test('the host agent makes its data folder private, but not the files of builds in it', async (t) => {
  const service = await startLinkService(t);
  const dataDir = join(t.testdir(), 'host');
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const config = { control_plane: service.siteUrl, allow_unisolated: true };
  await enrolHost({ dataDir, config, token });
  mkdirSync(join(dataDir, 'macs', 's1', 'home'), { recursive: true });
  writeFileSync(join(dataDir, 'macs', 's1', 'home', 'tool'), '', { mode: 0o755 });
  openToAll(dataDir);
  chmodSync(join(dataDir, 'macs', 's1', 'home', 'tool'), 0o755);
  const { lines, log } = linesOf();
  const agent = createHostAgent({ dataDir, log });
  await agent.start();
  t.equal(mode(join(dataDir, 'macs', 's1', 'home', 'tool')), '755');
  await agent.stop();
  t.same(
    openPaths(dataDir).filter((path) => !path.includes('/macs/')),
    [],
  );
  const named = lines.flatMap((line) => line.repaired ?? []).map(({ path }) => path);
  for (const name of ['.', 'agent.json', 'macs']) t.ok(named.includes(name), name);
});

t.test('the processes of the service create files for their user only', async (t) => {
  const data = join(t.testdir(), 'data');
  const program = new URL('../../client/bin.cjs', import.meta.url).pathname;
  const args = ['-c', 'umask 022; exec "$0" "$@"', process.execPath, program];
  const run = (...more: string[]) =>
    promisify(execFile)('/bin/sh', [...args, ...more], { env: { ...process.env, NODE_OPTIONS: '' } });
  await (await createControlPlane({ env: env(data), log: createLog('test', 'fatal') })).stop();
  await run('admin', 'backup', join(data, 'b.db'), '--data', data);
  await run('admin', 'org', 'create', '--name', 'Ada', '--data', data, '--json');
  t.same(openPaths(data), []);
});
