// Runs in: soak
import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { lockPath, mirrorPath, mirrorRoot } from '../../../host-agent/caches/git-mirror.js';
import { trimMirrors } from '../../../host-agent/caches/git-mirror-trim.js';
import { withLock } from '../../../host-agent/system/lock.js';
import { createAdvancingClock, systemClock } from '../../../shared/clock.js';
import { casesOf, runs } from '../../harness/soak.js';
import { createMac, failureOf } from '../runner/source-fixtures.js';
import { checkOutGit, files, run, start } from '../runner/source-git-fixtures.js';

t.test('a damaged mirror is fetched again', async (t) => {
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
    'a ref to a commit that is not there': () => writeFileSync(join(mirror, 'refs/heads/main'), `${'e'.repeat(40)}\n`),
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
  let turn = 0;
  await checkOutGit(mac, host.source('app'));
  const sharpest = [
    'no HEAD',
    'no packs',
    'a pack with flipped bits',
    'pack indexes cut short',
    'a ref to a commit that is not there',
    'locks of a git that was killed',
    'a configuration that runs programs',
    'a file in its place',
  ];
  for (const [damage, act] of casesOf(damages, sharpest)) {
    // The default run takes one of the two, in turn.
    for (const push of [false, true].filter((one) => runs(0, 1) === 1 || one === (turn++ % 2 === 0))) {
      act();
      if (push) last = app.commit('main', { a: `${damage} ${push}` });
      const checkout = await checkOutGit(mac, host.source('app'), { cleanTree: !push });
      t.equal(checkout.commit, last, `${damage}, ${push ? 'with a new commit' : 'into an empty folder'}`);
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
    (await Promise.all(macs.map((each) => checkOutGit(each, host.source('app'))))).map(({ commit }) => commit);
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
  t.match(macs.map((each) => each.said.join('\n')).join('\n'), 'Another build is fetching the same repository');
  t.strictSame(
    readdirSync(mirrorRoot(join(mac.root, 'cache'))).filter((name) => !name.endsWith('.git')),
    [],
  );
});

t.test('a lock is released when its holder dies', async (t) => {
  const { mac, host } = await start(t);
  host.upstream('app').commit('main', { a: 'a' });
  const lock = lockPath(mirrorPath(join(mac.root, 'cache'), `${host.origin}/app`));
  const ended = spawn('true');
  await once(ended, 'close');
  mkdirSync(dirname(lock), { recursive: true });
  const ownedBy = (pid: number | undefined, born: string) => JSON.stringify({ pid, born, nonce: 'a1' });
  for (const left of [ownedBy(ended.pid, 'once'), '', ownedBy(process.pid, 'before this process')]) {
    writeFileSync(lock, left);
    await checkOutGit(mac, host.source('app'));
    t.notOk(existsSync(lock));
  }

  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const signal = new AbortController().signal;
  const holding = withLock(lock, { clock: systemClock, signal }, () => held);
  const stop = new AbortController();
  const waiting = checkOutGit(mac, host.source('app'), {
    signal: stop.signal,
    say: (line) => line.startsWith('Another build') && stop.abort(new Error('cancelled')),
  });
  await t.rejects(waiting, { message: 'cancelled' });
  t.strictSame(
    readdirSync(mirrorRoot(join(mac.root, 'cache'))).filter((name) => name.includes('.owner')),
    [basename(lock)],
    'a living holder keeps it',
  );
  letGo();
  await holding;

  // No two processes ever hold it, in any order of acquiring, breaking and releasing.
  let inside = 0;
  let most = 0;
  const holders = runs(5, 30);
  setMaxListeners(holders, signal);
  await Promise.all(
    Array.from({ length: holders }, () =>
      withLock(lock, { clock: systemClock, signal }, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await sleep(1);
        inside -= 1;
      }),
    ),
  );
  t.equal(most, 1);
});

t.test('least recently used mirrors are deleted, and no work folder needs them', async (t) => {
  const { mac, host } = await start(t);
  const macs = [mac, createMac(t, mac), createMac(t, mac)];
  const cacheDir = join(mac.root, 'cache');
  for (const [n, each] of macs.entries()) {
    const app = host.upstream(`app${n}`);
    app.commit('main', {
      a: `${n}`,
      noise: Array.from({ length: 3000 }, (_, i) => (i * (n + 7919)) % 9973).join(),
    });
    await checkOutGit(each, host.source(`app${n}`));
  }
  const mirrors = () => readdirSync(mirrorRoot(cacheDir)).filter((name) => name.endsWith('.git')).length;
  t.equal(mirrors(), 3);
  const clock = createAdvancingClock({ start: Date.now() });
  const lock = { clock, signal: new AbortController().signal };
  await trimMirrors(cacheDir, 10, lock);
  t.equal(mirrors(), 3, 'what was used in the last minutes stays');
  mkdirSync(join(mirrorRoot(cacheDir), 'x.git-made-123'));
  await clock.advance(25 * 3_600_000);
  utimesSync(join(mirrorPath(cacheDir, `${host.origin}/app1`), 'last-used'), clock.now() / 1000, clock.now() / 1000);
  await trimMirrors(cacheDir, 10, lock);
  t.strictSame(readdirSync(mirrorRoot(cacheDir)), [`${mirrorPath('', `${host.origin}/app1`).slice(4)}`]);
  for (const [n, each] of macs.entries()) {
    run(each.work, 'fsck', '--full');
    t.equal(run(each.work, 'status', '--porcelain'), '');
    t.match(await checkOutGit(each, host.source(`app${n}`)), { changed: 0 }, 'and its next build changes nothing');
  }
});

t.test('many small fetches are repacked, and the work folder follows', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  for (let n = 0; n < 22; n += 1) {
    app.commit('main', { a: `${n}` });
    await checkOutGit(mac, host.source('app'));
  }
  const mirror = mirrorPath(join(mac.root, 'cache'), `${host.origin}/app`);
  const packs = (folder: string) =>
    readdirSync(join(folder, 'objects/pack'))
      .filter((name) => name.endsWith('.pack'))
      .sort();
  t.ok(packs(mirror).length < 21);
  t.strictSame(packs(join(mac.work, '.git')), packs(mirror));
  t.equal(run(mac.work, 'rev-list', '--count', 'HEAD'), '22');
  run(mac.work, 'fsck', '--full');
});

t.test('failures of the host are distinguished', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  app.commit('main', {
    a: 'a',
    'deep/in/.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'deep/in/x.bin': 'version https://git-lfs.github.com/spec/v1\n',
  });
  await checkOutGit(mac, host.source('app'));
  t.match(mac.warned, [/The repository keeps files in Git LFS/]);
  t.equal(files(mac.work)['deep/in/x.bin'], 'version https://git-lfs.github.com/spec/v1\n');

  t.match(await failureOf(checkOutGit(mac, host.source('app'), { gitEnv: { PATH: mac.root } })), {
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
      await failureOf(checkOutGit(mac, host.source('app'), { gitEnv })),
      { reasonCode: 'host_disk_full', fault: 'platform' },
      command,
    );
    await checkOutGit(mac, host.source('app'));
    t.equal(files(mac.work).a, command, 'the next build is fine');
  }
});
