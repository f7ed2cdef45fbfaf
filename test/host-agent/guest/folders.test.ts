// The folders of builds in a guest, after builds that damaged them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import t from 'tap';
import {
  guestFolders,
  prepareGuestFolders,
  readGuestDisk,
  removeGuestRun,
  removeGuestWork,
  removeInGuest,
} from '../../../host-agent/guest/folders.js';
import { openGuest } from './guest.js';

const options = { timeoutMs: 60_000 };
const A = 'aaaaaaaaaaaaaaaa';
const B = 'bbbbbbbbbbbbbbbb';

const instead = (place: string, make: () => void) => {
  rmSync(place, { recursive: true });
  make();
};

t.test('a build gets its folders, and work folders stay', async (t) => {
  const { transport, home } = openGuest(t);
  const root = path.join(home, 'cidermill');
  const prepare = (source: string, run: string, now: number, sweep = false) =>
    prepareGuestFolders(transport, root, { source, run, now, sweep }, options);
  const made = await prepare(A, 'rb_1.1', 5_000_000);
  t.match(made, guestFolders(root, { source: A, run: 'rb_1.1' }));
  t.same(made.folders, [{ name: A, usedAt: 5_000_000 }]);
  t.ok(made.freeBytes > 0);
  for (const folder of [made.work, made.state, made.tmp, made.artifacts]) {
    t.equal(lstatSync(folder).mode & 0o7777, 0o700, folder);
  }
  writeFileSync(path.join(made.work, 'kept'), '');
  writeFileSync(path.join(made.artifacts, 'left'), '');
  t.same((await prepare(B, 'rb_2.1', 9_000_000)).abandoned, ['rb_1.1']);
  t.same(readdirSync(path.join(root, 'run')), ['rb_1.1'], 'nothing is done while its processes may run');
  t.same((await prepare(B, 'rb_2.1', 9_000_000, true)).abandoned, []);
  t.same(readdirSync(made.work), ['kept']);
  t.same(readdirSync(path.join(root, 'run')), ['rb_2.1'], 'what a lost build left is deleted');
  const { folders } = await readGuestDisk(transport, root, options);
  t.same(
    folders.sort((a, b) => a.usedAt - b.usedAt),
    [
      { name: A, usedAt: 5_000_000 },
      { name: B, usedAt: 9_000_000 },
    ],
  );
  t.same((await removeGuestWork(transport, root, [A], options)).folders, [{ name: B, usedAt: 9_000_000 }]);
  t.same(readdirSync(path.join(root, 'state')), [B]);
  await removeGuestRun(transport, root, 'rb_2.1', options);
  t.same(readdirSync(path.join(root, 'run')), []);
  t.same((await removeGuestWork(transport, root, [B], options)).folders, []);
  t.same(readdirSync(path.join(root, 'state')), []);
  t.same((await readGuestDisk(transport, root, options)).folders, []);
  await removeInGuest(transport, root, options);
  t.notOk(existsSync(root));
});

t.test('folders are made usable again without following links', async (t) => {
  const { transport, home, host } = openGuest(t);
  const root = path.join(home, 'cidermill');
  const build = { source: A, run: 'rb_1.1', now: 0 };
  const { work, tmp, state } = await prepareGuestFolders(transport, root, build, options);
  const precious = path.join(host, 'precious');
  mkdirSync(precious);
  writeFileSync(path.join(precious, 'file'), '');
  const spoilt: [string, () => void][] = [
    ['without permissions', () => chmodSync(work, 0)],
    ['a file instead', () => instead(work, () => writeFileSync(work, ''))],
    ['a link instead', () => instead(work, () => symlinkSync(precious, work))],
    ['tmp is a link', () => instead(tmp, () => symlinkSync(precious, tmp))],
    ['state is a link', () => instead(state, () => symlinkSync(precious, state))],
    ['all work is a link', () => instead(path.dirname(work), () => symlinkSync(precious, path.dirname(work)))],
    ['everything is gone', () => rmSync(root, { recursive: true })],
    ['everything is a link', () => instead(root, () => symlinkSync(precious, root))],
    ['settings beside it', () => writeFileSync(path.join(root, '.npmrc'), '')],
    [
      'odd names',
      () =>
        execFileSync('/bin/sh', ['-c', `cd "$1/work" && mkdir "$(printf 'a\\377\\nb')" && touch -- -rf`, 'sh', root]),
    ],
    [
      'a deep tree',
      () =>
        execFileSync('/usr/bin/perl', [
          '-e',
          'chdir shift; for (1..300) { mkdir "d" x 100; chdir "d" x 100 }',
          path.dirname(work),
        ]),
    ],
  ];
  for (const [what, spoil] of spoilt) {
    spoil();
    await prepareGuestFolders(transport, root, build, options);
    t.same(readdirSync(root).sort(), ['run', 'state', 'tmp', 'work'], what);
    t.same(readdirSync(path.dirname(work)), [A], what);
    for (const folder of [work, tmp, state]) t.ok(lstatSync(folder).isDirectory(), what);
    t.equal(statSync(work).mode & 0o700, 0o700, what);
  }
  symlinkSync(precious, path.join(root, 'work', B));
  await removeGuestWork(transport, root, [B], options);
  t.ok(existsSync(path.join(precious, 'file')), 'what links point to stays');
});

t.test('names that leave the folder are refused', async (t) => {
  const { transport, home } = openGuest(t);
  const root = path.join(home, 'cidermill');
  const bad = { name: 'GuestError', code: 'bad_input' };
  await t.rejects(removeGuestWork(transport, root, ['../..'], options), bad);
  await t.rejects(removeGuestRun(transport, root, '..', options), bad);
  await t.rejects(prepareGuestFolders(transport, 'relative', { source: A, run: 'a', now: 0 }, options), bad);
  t.equal((await readGuestDisk(transport, root, options)).folders.length, 0);
});
