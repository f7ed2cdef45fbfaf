import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { withLock } from '../../host-agent/build/source/folder-lock.js';
import { lockPath, mirrorPath, mirrorRoot } from '../../host-agent/build/source/git-mirror.js';
import { trimMirrors } from '../../host-agent/build/source/git-mirror-trim.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import { createMac, failureOf, look, upload } from './source-fixtures.js';
import { files, layGit, run, start } from './source-git-fixtures.js';

t.test('a mirror that is damaged is fetched anew', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one', deep: 'x'.repeat(10_000) });
  const mirror = mirrorPath(join(mac.root, 'cache'), `${host.origin}/app`);
  const packs = (ending: string) =>
    readdirSync(join(mirror, 'objects/pack'))
      .filter((name) => name.endsWith(ending))
      .map((name) => join(mirror, 'objects/pack', name));
  const evil = join(mac.root, 'evil');
  const damages: Record<string, () => void> = {
    nothing: () => {},
    'no HEAD': () => unlinkSync(join(mirror, 'HEAD')),
    'a HEAD of nonsense': () => writeFileSync(join(mirror, 'HEAD'), 'nonsense'),
    'no objects': () => rmSync(join(mirror, 'objects'), { recursive: true }),
    'no packs': () => rmSync(join(mirror, 'objects/pack'), { recursive: true }),
    'no refs': () => rmSync(join(mirror, 'refs'), { recursive: true }),
    'packs cut short': () => {
      for (const path of packs('.pack')) {
        chmodSync(path, 0o644);
        truncateSync(path, 30);
      }
    },
    'packs of zeros': () => {
      for (const path of packs('.pack')) {
        const { size } = lstatSync(path);
        chmodSync(path, 0o644);
        writeFileSync(path, Buffer.alloc(size));
      }
    },
    'a pack with flipped bits': () => {
      for (const path of packs('.pack')) {
        const bytes = readFileSync(path);
        for (let at = 20; at < bytes.length - 30; at += 1) bytes[at]! ^= 0x55;
        chmodSync(path, 0o644);
        writeFileSync(path, bytes);
      }
    },
    'pack indexes cut short': () => {
      for (const path of packs('.idx')) {
        chmodSync(path, 0o644);
        truncateSync(path, 40);
      }
    },
    'a ref of nonsense': () => writeFileSync(join(mirror, 'refs/heads/main'), 'nonsense\n'),
    'a ref to a commit that is not there': () =>
      writeFileSync(join(mirror, 'refs/heads/main'), `${'e'.repeat(40)}\n`),
    'locks of a git that was killed': () => {
      writeFileSync(join(mirror, 'refs/heads/main.lock'), '');
      writeFileSync(join(mirror, 'packed-refs.lock'), '');
      writeFileSync(join(mirror, 'objects/pack/tmp_pack_x'), 'x');
    },
    'a configuration that runs programs': () => {
      appendFileSync(
        join(mirror, 'config'),
        `[core]\n\tfsmonitor = touch ${evil}\n\tsshCommand = touch ${evil}\n\thooksPath = /\n[include]\n\tpath = /etc/passwd\n`,
      );
    },
    'a configuration of nonsense': () => writeFileSync(join(mirror, 'config'), '[[['),
    'a file in its place': () => {
      rmSync(mirror, { recursive: true });
      writeFileSync(mirror, '');
    },
    gone: () => rmSync(mirror, { recursive: true }),
  };
  let last = one;
  await layGit(mac, host.source('app'));
  for (const [damage, act] of Object.entries(damages)) {
    for (const push of [false, true]) {
      act();
      if (push) last = app.commit('main', { a: `${damage} ${push}` });
      const laid = await layGit(mac, host.source('app'), { cleanTree: !push });
      t.equal(laid.commit, last, `${damage}, ${push ? 'with a new commit' : 'into an empty folder'}`);
      run(mac.work, 'fsck', '--full');
      t.equal(run(mac.work, 'status', '--porcelain'), '');
    }
  }
  t.notOk(existsSync(evil));
  t.notOk(existsSync(join(mirror, 'objects/pack/tmp_pack_x')));
});

t.test('several Macs of an account fetch a repository once', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one', b: 'x'.repeat(1_000_000) });
  const macs = [mac, createMac(t, mac), createMac(t, mac), createMac(t, mac)];
  const all = async () =>
    (await Promise.all(macs.map((each) => layGit(each, host.source('app'))))).map(({ commit }) => commit);
  t.strictSame(await all(), [one, one, one, one]);
  const transfers = () => host.requests.filter((request) => request.startsWith('POST')).length;
  const first = transfers();
  const two = app.commit('main', { a: 'two' });
  t.strictSame(await all(), [two, two, two, two]);
  for (const each of macs) {
    t.strictSame(Object.keys(files(each.work)), ['a', 'b']);
    run(each.work, 'fsck', '--full');
  }
  // With protocol 2 each ls-remote is a POST, and so are the two rounds of a fetch.
  t.ok(first <= 4 + 3 && transfers() <= 2 * (4 + 3), `${first} and ${transfers()} posts`);
  t.match(
    macs.map((each) => each.said.join('\n')).join('\n'),
    'Another build is fetching the same repository',
  );
  t.strictSame(
    readdirSync(mirrorRoot(join(mac.root, 'cache'))).filter((name) => !name.endsWith('.git')),
    [],
  );
});

t.test('a lock outlives no holder', async (t) => {
  const { mac, host } = await start(t);
  host.upstream('app').commit('main', { a: 'a' });
  const lock = lockPath(mirrorPath(join(mac.root, 'cache'), `${host.origin}/app`));
  const ended = spawn('true');
  await once(ended, 'close');
  mkdirSync(lock, { recursive: true });
  writeFileSync(join(lock, `${ended.pid}-dead`), '');
  await layGit(mac, host.source('app'));
  mkdirSync(lock);
  await layGit(mac, host.source('app'));
  mkdirSync(lock);
  writeFileSync(join(lock, `${process.pid}-silent`), '');
  utimesSync(join(lock, `${process.pid}-silent`), 1, 1);
  await layGit(mac, host.source('app'));
  t.notOk(existsSync(lock));

  mkdirSync(lock);
  writeFileSync(join(lock, `${process.pid}-alive`), '');
  const stop = new AbortController();
  const waiting = layGit(mac, host.source('app'), {
    signal: stop.signal,
    say: (line) => line.startsWith('Another build') && stop.abort(new Error('cancelled')),
  });
  await t.rejects(waiting, { message: 'cancelled' });
  t.strictSame(readdirSync(lock), [`${process.pid}-alive`], 'a living holder keeps it');
  t.strictSame(
    readdirSync(mirrorRoot(join(mac.root, 'cache'))).filter((name) => /lock-/.test(name)),
    [],
  );
  rmSync(lock, { recursive: true });

  // Nobody ever holds it beside another, whatever the order of taking, breaking and releasing.
  let inside = 0;
  let most = 0;
  const signal = new AbortController().signal;
  await Promise.all(
    Array.from({ length: 30 }, () =>
      withLock(lock, { clock: systemClock, signal, staleMs: 60_000 }, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await sleep(1);
        inside -= 1;
      }),
    ),
  );
  t.equal(most, 1);
  // A holder that lives gives signs of it, so that it is never taken for dead.
  const clock = createAdvancingClock({ start: Date.now() });
  await withLock(lock, { clock, signal, staleMs: 60_000 }, async () => {
    await clock.advance(600_000);
    const [name = ''] = readdirSync(lock);
    t.ok(clock.now() - lstatSync(join(lock, name)).mtimeMs <= 10_000);
  });
});

t.test('whatever a build did to the work folder and its .git, the next build finds the commit', async (t) => {
  const { mac, host } = await start(t);
  const outside = join(mac.root, 'outside');
  const evil = join(mac.root, 'evil');
  const app = host.upstream('app');
  app.commit('main', {
    'src/a': 'aaa',
    'src/b': 'bbb',
    'src/deep/c': 'ccc',
    run: '#!/bin/sh\n',
    '.gitattributes': '* text=auto\n',
  });
  const clean = {
    '.gitattributes': '* text=auto\n',
    run: '#!/bin/sh\n +x',
    'src/a': 'aaa',
    'src/b': 'bbb',
    'src/deep/c': 'ccc',
  };
  const at = (path: string) => join(mac.work, path);
  const replace = (path: string, make: (path: string) => void) => () => {
    rmSync(at(path), { recursive: true });
    make(at(path));
  };
  const program = join(mac.root, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${evil}\n`, { mode: 0o755 });
  const evilConfig = `[core]\n\tfsmonitor = ${program}\n\thooksPath = ${mac.root}/hooks\n\tworktree = ${outside}\n\tsshCommand = ${program}\n\tpager = ${program}\n[filter "x"]\n\tsmudge = ${program}\n\tclean = ${program}\n\trequired = true\n[alias]\n\tread-tree = !${program}\n[include]\n\tpath = ${mac.root}/more\n[url "file://${outside}/"]\n\tinsteadOf = http://\n[credential]\n\thelper = !${program}\n`;
  const deeds: Record<string, () => void> = {
    'changed a file': () => writeFileSync(at('src/a'), 'xxx'),
    'changed a file, keeping its times': () => {
      const { atime, mtime } = lstatSync(at('src/a'));
      writeFileSync(at('src/a'), 'xxx');
      utimesSync(at('src/a'), atime, mtime);
    },
    'told git to look away': () => {
      run(mac.work, 'update-index', '--assume-unchanged', 'src/a');
      run(mac.work, 'update-index', '--skip-worktree', 'src/b');
      writeFileSync(at('src/a'), 'xxx');
      writeFileSync(at('src/b'), 'xxx');
    },
    'deleted a file': () => rmSync(at('src/a')),
    'deleted a folder': () => rmSync(at('src'), { recursive: true }),
    'made a file executable': () => chmodSync(at('src/a'), 0o755),
    'took all permissions': () => chmodSync(at('src/a'), 0),
    'put a pipe': replace('src/a', (path) => spawn('mkfifo', [path])),
    'put a folder': replace('src/a', (path) => mkdirSync(join(path, 'x/y'), { recursive: true })),
    'put a repository': replace('src/a', (path) => {
      mkdirSync(path);
      run(path, 'init', '-q');
      run(path, 'commit', '-q', '--allow-empty', '-m', 'x');
    }),
    'put a link': replace('src/a', (path) => symlinkSync(join(outside, 'a'), path)),
    'put a link to a folder': replace('src', (path) => symlinkSync(outside, path)),
    'put a link to a folder, deeper': replace('src/deep', (path) => symlinkSync(outside, path)),
    'put a file for a folder': replace('src', (path) => writeFileSync(path, '')),
    'put a link for the work folder': () => {
      rmSync(mac.work, { recursive: true });
      symlinkSync(outside, mac.work);
    },
    'committed and branched': () => {
      run(mac.work, 'checkout', '-q', '-b', 'mine');
      writeFileSync(at('src/a'), 'mine');
      writeFileSync(at('new'), 'new');
      run(mac.work, 'add', '-A');
      run(mac.work, 'commit', '-q', '-m', 'mine');
      rmSync(at('new'));
    },
    'left locks': () => {
      for (const name of ['index.lock', 'HEAD.lock', 'config.lock']) writeFileSync(at(`.git/${name}`), '');
    },
    'removed .git': () => rmSync(at('.git'), { recursive: true }),
    'emptied .git': replace('.git', (path) => mkdirSync(path)),
    'put a file for .git': replace('.git', (path) => writeFileSync(path, `gitdir: ${outside}\n`)),
    'put a link for .git': replace('.git', (path) => symlinkSync(outside, path)),
    'put a link for objects': replace('.git/objects', (path) => symlinkSync(outside, path)),
    'put a link for packs': replace('.git/objects/pack', (path) => symlinkSync(outside, path)),
    'put links in .git': () => {
      for (const name of ['index', 'HEAD', 'config', 'packed-refs'])
        replace(`.git/${name}`, (path) => symlinkSync(join(outside, 'a'), path))();
    },
    'put alternates': () => {
      mkdirSync(at('.git/objects/info'), { recursive: true });
      writeFileSync(at('.git/objects/info/alternates'), `${outside}\n`);
    },
    'put another common folder': () => writeFileSync(at('.git/commondir'), `${outside}\n`),
    'damaged the packs': () => {
      for (const name of readdirSync(at('.git/objects/pack'))) {
        chmodSync(at(`.git/objects/pack/${name}`), 0o644);
        truncateSync(at(`.git/objects/pack/${name}`), 10);
      }
    },
    'configured programs': () => {
      writeFileSync(at('.git/config'), evilConfig);
      mkdirSync(at('.git/info'), { recursive: true });
      writeFileSync(at('.git/info/attributes'), '* filter=x\n');
      mkdirSync(at('.git/hooks'), { recursive: true });
      for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-auto-gc']) {
        writeFileSync(at(`.git/hooks/${hook}`), `#!/bin/sh\ntouch ${evil}\n`, { mode: 0o755 });
      }
    },
  };
  await layGit(mac, host.source('app'));
  for (const [deed, act] of Object.entries(deeds)) {
    rmSync(outside, { recursive: true, force: true });
    mkdirSync(outside);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(outside, name), 'not yours');
    act();
    if (deed === 'put a pipe') while (!existsSync(at('src/a'))) await sleep(5);
    const seen = look(outside);
    await layGit(mac, host.source('app'));
    t.strictSame(files(mac.work), clean, `${deed}: the files`);
    t.equal(run(mac.work, 'status', '--porcelain'), '', `${deed}: the repository`);
    t.throws(() => run(mac.work, 'symbolic-ref', 'HEAD'), 'detached');
    run(mac.work, 'fsck');
    t.strictSame(look(outside), seen, `${deed}: nothing outside`);
    t.notOk(existsSync(evil), `${deed}: no program of a build has run`);
    await layGit(mac, host.source('app'), { cleanTree: true });
  }
});

t.test(
  'folders that nobody may enter or write to are opened again',
  { skip: process.getuid?.() !== 0 && 'not root: the test above did' },
  async (t) => {
    const { mac, host } = await start(t);
    const app = host.upstream('app');
    app.commit('main', { 'src/a': 'a', 'src/deep/b': 'b', 'other/c': 'c' });
    for (const folder of [mac.root, join(mac.root, 'mac')]) chownSync(folder, 65_534, 65_534);
    process.seteuid?.(65_534);
    try {
      await layGit(mac, host.source('app'));
      for (const [folder, mode] of [
        ['src/deep', 0],
        ['src', 0o500],
        ['other', 0o400],
        ['', 0o500],
      ] as const) {
        chmodSync(join(mac.work, folder), mode);
      }
      process.seteuid?.(0);
      app.commit('main', { 'src/a': 'A', 'src/deep/b': 'B', 'src/new': 'n', 'other/c': null });
      process.seteuid?.(65_534);
      await layGit(mac, host.source('app'));
      t.strictSame(files(mac.work), { 'src/a': 'A', 'src/deep/b': 'B', 'src/new': 'n' });
      t.notMatch(mac.said.join(), 'starting from an empty', 'in place');
      chmodSync(join(mac.work, '.git'), 0o500);
      chmodSync(join(mac.work, '.git/objects/pack'), 0);
      await layGit(mac, host.source('app'));
      t.match(readFileSync(join(mac.work, '.git/HEAD'), 'utf8'), /^[0-9a-f]{40}$/m);
    } finally {
      process.seteuid?.(0);
    }
  },
);

t.test('an agent that dies at any git command leaves nothing wrong to the next build', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: '1', 'gone/x': 'x' });
  const two = app.commit('main', { a: '2', 'new/y': 'y', 'gone/x': null });
  const three = app.commit('main', { a: '3', 'new/y': null, 'gone/x': 'x' });
  const tools = join(mac.root, 'tools');
  mkdirSync(tools);
  const git = run(mac.root, '--exec-path').replace(/\/git-core$/, '');
  t.type(git, 'string');
  const real = process.env.PATH?.split(':')
    .map((folder) => join(folder, 'git'))
    .find((path) => existsSync(path));
  // Kills the agent before the git command whose turn it is, or amid it and with it.
  writeFileSync(
    join(tools, 'git'),
    `#!/bin/sh
echo x >> "$DEATH.count"
if [ "$(wc -l < "$DEATH.count" | tr -d ' ')" = "$DEATH_AT" ]; then
  case $DEATH_HOW in
    before) kill -9 $PPID ;;
    amid) "${real}" "$@" & kill -9 $PPID; kill -9 $! ;;
  esac
  exit 1
fi
exec "${real}" "$@"
`,
    { mode: 0o755 },
  );
  const child = new URL('./source-child.js', import.meta.url).pathname;
  let deaths = 0;
  for (const how of ['before', 'amid']) {
    for (let at = 1, died = true; died; at += 1) {
      await layGit(mac, host.source('app', { commit: one }), { cleanTree: at % 2 === 0 });
      if (at % 3 === 0) rmSync(join(mac.root, 'cache'), { recursive: true });
      const death = join(mac.root, `death-${how}-${at}`);
      const input = mac.input(upload({}), {
        source: host.source('app', { ref: two, pr: null }),
        gitProtocols: ['http'],
      });
      const job = {
        ...input,
        gitEnv: { PATH: `${tools}:${process.env.PATH}`, DEATH: death, DEATH_AT: `${at}`, DEATH_HOW: how },
      };
      const agent = spawn(process.execPath, [child, JSON.stringify(job)], { stdio: 'ignore' });
      const [code, signal] = await once(agent, 'close');
      died = signal === 'SIGKILL';
      if (!died) t.equal(code, 0);
      else deaths += 1;
      const laid = await layGit(mac, host.source('app', { commit: three }));
      t.equal(laid.commit, three);
      t.strictSame(files(mac.work), { a: '3', 'gone/x': 'x' }, `died ${how} command ${at}`);
      t.equal(run(mac.work, 'status', '--porcelain'), '');
    }
  }
  t.ok(deaths > 20, `${deaths} deaths`);
});

t.test('a git that outlives its agent is ended before the next build touches the folder', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: '1' });
  app.commit('main', { a: '2', late: 'late' });
  await layGit(mac, host.source('app', { commit: one }));
  const tools = join(mac.root, 'tools');
  mkdirSync(tools);
  // Waits until the test lets it go on, if it still lives then.
  const slow = `#!/bin/sh
PATH="\${PATH#*:}"
if [ "$1" = read-tree ]; then
  touch "$MARK.waits"
  while [ ! -e "$MARK.go" ]; do sleep 0.01; done
  git "$@"
  touch "$MARK.done"
else
  exec git "$@"
fi
`;
  writeFileSync(join(tools, 'git'), slow, { mode: 0o755 });
  const mark = join(mac.root, 'mark');
  const input = mac.input(upload({}), { source: host.source('app'), gitProtocols: ['http'] });
  const gitEnv = { PATH: `${tools}:${process.env.PATH}`, MARK: mark };
  const child = new URL('./source-child.js', import.meta.url).pathname;
  const agent = spawn(process.execPath, [child, JSON.stringify({ ...input, gitEnv })], { stdio: 'ignore' });
  while (!existsSync(`${mark}.waits`)) await sleep(5);
  agent.kill('SIGKILL');
  await once(agent, 'close');
  await layGit(mac, host.source('app', { commit: one }));
  writeFileSync(`${mark}.go`, '');
  await sleep(100);
  t.notOk(existsSync(`${mark}.done`));
  t.strictSame(files(mac.work), { a: '1' });

  // A process that happens to have the noted id is left alone.
  const other = spawn('sleep', ['100'], { detached: true });
  writeFileSync(join(mac.root, 'mac/state/source/git-process'), String(other.pid));
  await layGit(mac, host.source('app'));
  t.equal(other.exitCode, null);
  t.ok(other.kill());
  await once(other, 'close');
});

t.test('stopping a build stops its git at once, and leaves none of it', async (t) => {
  const { mac, host } = await start(t);
  host.upstream('app').commit('main', { a: 'a' });
  const stop = new AbortController();
  host.intercept = (request) => {
    if (request.method === 'POST') stop.abort(new Error('cancelled'));
    return request.method === 'POST';
  };
  await t.rejects(layGit(mac, host.source('app'), { signal: stop.signal, gitEnv: { MARK: mac.root } }), {
    message: 'cancelled',
  });
  if (process.platform === 'linux') {
    const left = readdirSync('/proc').filter((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`MARK=${mac.root}`)
        );
      } catch {
        return false;
      }
    });
    t.strictSame(left, []);
  }
  host.intercept = () => false;
  await layGit(mac, host.source('app'));
  t.strictSame(files(mac.work), { a: 'a' });
});

t.test('mirrors that nobody used lately make room, and no work folder misses them', async (t) => {
  const { mac, host } = await start(t);
  const macs = [mac, createMac(t, mac), createMac(t, mac)];
  const cacheDir = join(mac.root, 'cache');
  for (const [n, each] of macs.entries()) {
    const app = host.upstream(`app${n}`);
    app.commit('main', {
      a: `${n}`,
      noise: Array.from({ length: 3000 }, (_, i) => (i * (n + 7919)) % 9973).join(),
    });
    await layGit(each, host.source(`app${n}`));
  }
  const mirrors = () => readdirSync(mirrorRoot(cacheDir)).filter((name) => name.endsWith('.git')).length;
  t.equal(mirrors(), 3);
  const clock = createAdvancingClock({ start: Date.now() });
  const lock = { clock, signal: new AbortController().signal, staleMs: 60_000 };
  await trimMirrors(cacheDir, 10, lock);
  t.equal(mirrors(), 3, 'what was used in the last minutes stays');
  mkdirSync(join(mirrorRoot(cacheDir), 'x.git-made-123'));
  await clock.advance(25 * 3_600_000);
  utimesSync(
    join(mirrorPath(cacheDir, `${host.origin}/app1`), 'last-used'),
    clock.now() / 1000,
    clock.now() / 1000,
  );
  await trimMirrors(cacheDir, 10, lock);
  t.strictSame(readdirSync(mirrorRoot(cacheDir)), [`${mirrorPath('', `${host.origin}/app1`).slice(4)}`]);
  for (const [n, each] of macs.entries()) {
    run(each.work, 'fsck', '--full');
    t.equal(run(each.work, 'status', '--porcelain'), '');
    t.match(await layGit(each, host.source(`app${n}`)), { changed: 0 }, 'and its next build changes nothing');
  }
});

t.test('many small fetches are joined, and the work folder keeps up', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  for (let n = 0; n < 25; n += 1) {
    app.commit('main', { a: `${n}` });
    await layGit(mac, host.source('app'));
  }
  const mirror = mirrorPath(join(mac.root, 'cache'), `${host.origin}/app`);
  const packs = (folder: string) =>
    readdirSync(join(folder, 'objects/pack'))
      .filter((name) => name.endsWith('.pack'))
      .sort();
  t.ok(packs(mirror).length < 21);
  t.strictSame(packs(join(mac.work, '.git')), packs(mirror));
  t.equal(run(mac.work, 'rev-list', '--count', 'HEAD'), '25');
  run(mac.work, 'fsck', '--full');
});

t.test('failures of the host itself are told apart', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  app.commit('main', {
    a: 'a',
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'x.bin': 'version https://git-lfs.github.com/spec/v1\n',
  });
  await layGit(mac, host.source('app'));
  t.match(mac.said.join('\n'), /Git LFS/);
  t.equal(files(mac.work)['x.bin'], 'version https://git-lfs.github.com/spec/v1\n');

  t.match(await failureOf(layGit(mac, host.source('app'), { gitEnv: { PATH: mac.root } })), {
    reasonCode: 'workspace_failed',
    fault: 'platform',
    message: /git is not installed/,
  });
  const tools = join(mac.root, 'tools');
  mkdirSync(tools);
  const fails = (command: string) =>
    writeFileSync(
      join(tools, 'git'),
      `#!/bin/sh\nif [ "$1" = ${command} ]; then echo "fatal: write error: No space left on device" >&2; exit 128; fi\nPATH="\${PATH#*:}" exec git "$@"\n`,
      { mode: 0o755 },
    );
  for (const command of ['fetch', 'read-tree']) {
    fails(command);
    app.commit('main', { a: command });
    const gitEnv = { PATH: `${tools}:${process.env.PATH}` };
    t.match(
      await failureOf(layGit(mac, host.source('app'), { gitEnv })),
      { reasonCode: 'host_disk_full', fault: 'platform' },
      command,
    );
    await layGit(mac, host.source('app'));
    t.equal(files(mac.work).a, command, 'the next build is fine');
  }
});
