// Submodules of a repository.
// Runs in: soak
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { failureOf, look } from './source-fixtures.js';
import { checkOutGit, createCodeHost, files, filesWith, run, start } from './source-git-fixtures.js';

/** A .gitmodules file: path, URL and further lines of each submodule. */
const modules = (lines: [string, string, string?][]) =>
  lines.map(([path, url, more]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n${more ?? ''}`).join('');

t.test('submodules on the same server are checked out too, others are named', async (t) => {
  const { mac, host } = await start(t);
  const elsewhere = await createCodeHost(t, join(mac.root, 'elsewhere'));
  const token = 'token-of-the-account';
  host.password = `x-access-token:${token}`;
  const leaf = host.upstream('group/leaf');
  const leaf1 = leaf.commit('main', { leaf: '1' });
  const leaf2 = leaf.commit('main', { leaf: '2', more: 'm' });
  const middle = host.upstream('group/middle');
  const leafModule = '[submodule "leaf"]\n\tpath = in/leaf\n\turl = ../leaf\n';
  const middle1 = middle.commit('main', { '.gitmodules': leafModule, middle: 'm' }, { 'in/leaf': leaf1 });
  elsewhere.upstream('x').commit('main', { x: 'x' });

  const app = host.upstream('group/app');
  const addresses: [string, string, string?][] = [
    ['relative', '../middle'],
    ['absolute', `${host.origin}/group/leaf`],
    ['scp', 'git@127.0.0.1:group/leaf'],
    ['ssh', 'ssh://git@127.0.0.1/group/leaf'],
    ['none', '../leaf', '\tupdate = none\n'],
    ['away', `${elsewhere.origin}/x`],
    ['awayssh', 'git@github.com:a/b.git'],
    ['ext', 'ext::sh -c touch% /tmp/x'],
    ['local', mac.root],
    ['option', '--upload-pack=touch /tmp/x'],
  ];
  const links = Object.fromEntries(addresses.map(([path]) => [path, path === 'relative' ? middle1 : leaf1]));
  const one = app.commit(
    'main',
    { '.gitmodules': modules(addresses), a: 'app', b: 'b' },
    { ...links, 'without-address': leaf1 },
  );

  const checkOut = () => checkOutGit(mac, host.source('group/app'), { gitToken: token });
  t.match(await checkOut(), { commit: one });
  const contents = () =>
    Object.fromEntries(Object.entries(files(mac.work)).filter(([path]) => !path.endsWith('.gitmodules')));
  t.strictSame(contents(), {
    a: 'app',
    b: 'b',
    'absolute/leaf': '1',
    away: 'folder',
    awayssh: 'folder',
    ext: 'folder',
    local: 'folder',
    none: 'folder',
    option: 'folder',
    'relative/in/leaf/leaf': '1',
    'relative/middle': 'm',
    'scp/leaf': '1',
    'ssh/leaf': '1',
    'without-address': 'folder',
  });
  for (const path of ['away', 'awayssh', 'ext', 'local', 'option']) {
    t.match(mac.warned.join('\n'), `The submodule ${path} is empty: `);
  }
  t.strictSame(elsewhere.requests, [], 'no other server is asked');
  t.equal(run(mac.work, 'status', '--porcelain'), '');
  t.equal(run(join(mac.work, 'relative/in/leaf'), 'rev-parse', 'HEAD'), leaf1);
  t.match(run(mac.work, 'submodule', 'status', 'absolute'), leaf1);

  // The next build: one moved, one tampered with, one replaced by a link, one gone, one became a file.
  const outside = join(mac.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'leaf'), 'not yours');
  writeFileSync(join(mac.work, 'relative/in/leaf/leaf'), 'tampered');
  writeFileSync(join(mac.work, 'relative/.git/config'), `[core]\n\tfsmonitor = touch ${mac.root}/evil\n`);
  writeFileSync(join(mac.work, 'absolute/product'), 'p');
  rmSync(join(mac.work, 'scp'), { recursive: true });
  symlinkSync(outside, join(mac.work, 'scp'));
  const fewer = modules(addresses.filter(([path]) => path !== 'ssh' && path !== 'none'));
  app.commit('main', { '.gitmodules': fewer }, { absolute: leaf2, ssh: null, none: null });
  const two = app.commit('main', { none: 'a file now' });
  t.match(await checkOut(), { commit: two });
  t.match(contents(), {
    'absolute/leaf': '2',
    'absolute/more': 'm',
    'absolute/product': 'p',
    none: 'a file now',
    'relative/in/leaf/leaf': '1',
    'scp/leaf': '1',
  });
  t.notOk(existsSync(join(mac.work, 'ssh')));
  t.strictSame(look(outside), { leaf: 'not yours' });
  t.notOk(existsSync(join(mac.root, 'evil')));
  t.strictSame(filesWith(join(mac.root, 'mac'), token), []);
});

t.test('submodules nested without end, or without a repository, fail the build', async (t) => {
  const { mac, host } = await start(t);
  const token = 'token-of-the-account';
  host.password = `x-access-token:${token}`;
  const endless = host.upstream('endless');
  let inner = endless.commit('main', { '.gitmodules': modules([['again', '../endless']]) });
  for (let depth = 0; depth < 8; depth += 1) {
    inner = endless.commit('main', { depth: `${depth}` }, { again: inner });
  }
  t.match(await failureOf(checkOutGit(mac, host.source('endless'), { gitToken: token })), {
    reasonCode: 'clone_failed',
    fault: 'customer',
    message: /levels/,
  });
  const missing = host.upstream('missing');
  missing.commit('main', { '.gitmodules': modules([['sub', '../nowhere']]) }, { sub: inner });
  t.match(await failureOf(checkOutGit(mac, host.source('missing'), { gitToken: token })), {
    reasonCode: 'clone_failed',
    message: /nowhere/,
  });
});
