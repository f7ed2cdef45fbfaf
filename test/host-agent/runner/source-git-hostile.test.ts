// Runs in: soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { casesOf, stride } from '../../harness/soak.js';
import { look, type Mac, upload } from './source-fixtures.js';
import { checkOutGit, files, run, start } from './source-git-fixtures.js';

/** What a hostile build does to its work folder, by description. Programs that it plants create the file `evil`. */
function hostileDeeds(mac: Mac, outside: string, evil: string): Record<string, () => void> {
  const at = (path: string) => join(mac.work, path);
  const replace = (path: string, make: (path: string) => void) => () => {
    rmSync(at(path), { recursive: true });
    make(at(path));
  };
  const program = join(mac.root, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${evil}\n`, { mode: 0o755 });
  const evilConfig = `[core]\n\tfsmonitor = ${program}\n\thooksPath = ${mac.root}/hooks\n\tworktree = ${outside}\n\tsshCommand = ${program}\n\tpager = ${program}\n[filter "x"]\n\tsmudge = ${program}\n\tclean = ${program}\n\trequired = true\n[alias]\n\tread-tree = !${program}\n[include]\n\tpath = ${mac.root}/more\n[url "file://${outside}/"]\n\tinsteadOf = http://\n[credential]\n\thelper = !${program}\n`;
  return {
    'changed a file': () => writeFileSync(at('src/a'), 'xxx'),
    'changed a file, keeping its times': () => {
      const { atime, mtime } = lstatSync(at('src/a'));
      writeFileSync(at('src/a'), 'xxx');
      utimesSync(at('src/a'), atime, mtime);
    },
    'hid changes from git': () => {
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
}

t.test('after a build that damages the work folder and its .git, the next build finds the commit', async (t) => {
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
  const deeds = hostileDeeds(mac, outside, evil);
  await checkOutGit(mac, host.source('app'));
  const sharpest = [
    'changed a file, keeping its times',
    'hid changes from git',
    'took all permissions',
    'put a repository',
    'put a link to a folder, deeper',
    'put a link for the work folder',
    'committed and branched',
    'left locks',
    'put a file for .git',
    'put a link for packs',
    'put links in .git',
    'damaged the packs',
    'put alternates',
    'configured programs',
  ];
  for (const [deed, act] of casesOf(deeds, sharpest)) {
    rmSync(outside, { recursive: true, force: true });
    mkdirSync(outside);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(outside, name), 'not yours');
    act();
    if (deed === 'put a pipe') while (!existsSync(join(mac.work, 'src/a'))) await sleep(5);
    const seen = look(outside);
    await checkOutGit(mac, host.source('app'));
    t.strictSame(files(mac.work), clean, `${deed}: the files`);
    t.equal(run(mac.work, 'status', '--porcelain'), '', `${deed}: the repository`);
    t.throws(() => run(mac.work, 'symbolic-ref', 'HEAD'), 'detached');
    run(mac.work, 'fsck');
    t.strictSame(look(outside), seen, `${deed}: nothing outside`);
    t.notOk(existsSync(evil), `${deed}: no program of a build has run`);
    await checkOutGit(mac, host.source('app'), { cleanTree: true });
  }
});

t.test(
  'folders without permissions are made accessible again',
  { skip: process.getuid?.() !== 0 && 'not root: the test above did' },
  async (t) => {
    const { mac, host } = await start(t);
    const app = host.upstream('app');
    app.commit('main', { 'src/a': 'a', 'src/deep/b': 'b', 'other/c': 'c' });
    for (const folder of [mac.root, join(mac.root, 'mac')]) chownSync(folder, 65_534, 65_534);
    process.seteuid?.(65_534);
    try {
      await checkOutGit(mac, host.source('app'));
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
      await checkOutGit(mac, host.source('app'));
      t.strictSame(files(mac.work), { 'src/a': 'A', 'src/deep/b': 'B', 'src/new': 'n' });
      t.notMatch(mac.said.join(), 'starting from an empty', 'in place');
      chmodSync(join(mac.work, '.git'), 0o500);
      chmodSync(join(mac.work, '.git/objects/pack'), 0);
      await checkOutGit(mac, host.source('app'));
      t.match(readFileSync(join(mac.work, '.git/HEAD'), 'utf8'), /^[0-9a-f]{40}$/m);
    } finally {
      process.seteuid?.(0);
    }
  },
);

t.test('an agent that dies at any git command does not break the next build', async (t) => {
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
  // Kills the agent before or during a git command.
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
  const step = stride(6);
  for (const [first, how] of ['before', 'amid'].entries()) {
    for (let at = 1 + Math.floor((first * step) / 2), died = true; died; at += step) {
      await checkOutGit(mac, host.source('app', { commit: one }), { cleanTree: at % 2 === 0 });
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
      const checkout = await checkOutGit(mac, host.source('app', { commit: three }));
      t.equal(checkout.commit, three);
      t.strictSame(files(mac.work), { a: '3', 'gone/x': 'x' }, `died ${how} command ${at}`);
      t.equal(run(mac.work, 'status', '--porcelain'), '');
    }
  }
  t.ok(deaths > 12 / step, `${deaths} deaths`);
});

t.test('a git process that outlives its agent is killed before the next build touches the folder', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: '1' });
  app.commit('main', { a: '2', late: 'late' });
  await checkOutGit(mac, host.source('app', { commit: one }));
  const tools = join(mac.root, 'tools');
  mkdirSync(tools);
  // Blocks until the test continues it, if it still lives then.
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
  const note = join(mac.root, 'mac/state/source/git-process');
  const noted = () => existsSync(note) && readFileSync(note, 'utf8') !== '';
  while (!existsSync(`${mark}.waits`) || !noted()) await sleep(5);
  agent.kill('SIGKILL');
  await once(agent, 'close');
  await checkOutGit(mac, host.source('app', { commit: one }));
  writeFileSync(`${mark}.go`, '');
  await sleep(100);
  t.notOk(existsSync(`${mark}.done`));
  t.strictSame(files(mac.work), { a: '1' });

  // A process that happens to have the recorded id is not killed.
  const other = spawn('sleep', ['100'], { detached: true });
  writeFileSync(note, String(other.pid));
  await checkOutGit(mac, host.source('app'));
  t.equal(other.exitCode, null);
  t.ok(other.kill());
  await once(other, 'close');
});

t.test('stopping a build kills its git processes at once', async (t) => {
  const { mac, host } = await start(t);
  host.upstream('app').commit('main', { a: 'a' });
  const stop = new AbortController();
  host.intercept = (request) => {
    if (request.method === 'POST') stop.abort(new Error('cancelled'));
    return request.method === 'POST';
  };
  await t.rejects(checkOutGit(mac, host.source('app'), { signal: stop.signal, gitEnv: { MARK: mac.root } }), {
    message: 'cancelled',
  });
  if (process.platform === 'linux') {
    const left = readdirSync('/proc').filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`MARK=${mac.root}`);
      } catch {
        return false;
      }
    });
    t.strictSame(left, []);
  }
  host.intercept = () => false;
  await checkOutGit(mac, host.source('app'));
  t.strictSame(files(mac.work), { a: 'a' });
});
