// Sources of builds in a virtual machine: checked out on the host, brought into the guest.
// Runs in: soak
import { readdirSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { CheckOutSources } from '../../../host-agent/runner/run-options.js';
import { materialize } from '../../../host-agent/runner/source/materialize.js';
import { everyNth } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { type GuestRig, openGuestRig } from './guest-rig.js';
import { createMac, type Mac, type Upload, upload } from './source-fixtures.js';
import { type GitSource, start } from './source-git-fixtures.js';

/** Returns the source step of a build: this upload, or this repository. */
function checkingOut(mac: Mac, from: Upload | GitSource, clean = false): CheckOutSources {
  const input = 'manifest' in from ? mac.input(from) : mac.input(upload({}), { source: from });
  return ({ paths, say, warn, signal }) =>
    materialize({
      ...input,
      workDir: paths.sources,
      stateDir: paths.state,
      gitProtocols: ['http', 'file'],
      copied: true,
      say,
      warn,
      signal,
      cleanTree: clean,
    });
}

const run = (rig: GuestRig, mac: Mac, from: Upload, script: string, clean = false) =>
  rig.run(script, { checkOutSources: checkingOut(mac, from, clean), spec: { clean_tree: clean } });

/** The log line about what was sent, or null. */
const crossed = (log: string) => /\[cidermill\] brought into the Mac: (.*)\n/.exec(log)?.[1] ?? null;

t.test('only changes are sent, and files that builds created stay', async (t) => {
  const rig = await openGuestRig(t);
  const mac = createMac(t);
  const tree = {
    'a.txt': 'a',
    'src/b.c': 'int b;',
    'run.sh': { content: '#!/bin/sh\necho ran\n', mode: 0o755 as const },
  };
  const links = [{ path: 'src/link', target: '../a.txt' }];
  const first = await run(rig, mac, upload(tree, { links }), './run.sh; cat src/link; echo made >product; ls -l a.txt');
  t.match(first.log, /ran\na-/, 'modes and links cross');
  t.match(crossed(first.log), /^5 written, 0 removed, \d+ bytes sent$/);

  const second = await run(rig, mac, upload(tree, { links }), 'cat product');
  t.match(second.log, /\nmade\n/);
  t.equal(crossed(second.log), null, 'nothing has changed');

  // With the same size and times as before; the clock of the guest may be wrong.
  const vandal =
    'touch -r a.txt ref; printf A >a.txt; touch -r ref a.txt; rm src/link; ln -s /etc src/link; touch -t 203712312359 run.sh';
  await run(rig, mac, upload(tree, { links }), vandal);
  const third = await run(
    rig,
    mac,
    upload({ ...tree, 'new.txt': 'new' }, { links }),
    'cat a.txt new.txt; readlink src/link; stat -f %m run.sh a.txt',
  );
  t.match(third.log, /\nanew..\/a.txt\n/, 'what a build has changed is as before');
  t.match(crossed(third.log), /^4 written \(3 had been changed there\), 0 removed/);
  t.notMatch(third.log, '2145916', 'the time of the guest was replaced');

  const { 'a.txt': _, ...without } = tree;
  const fourth = await run(rig, mac, upload(without), 'ls -1; ls -1 src');
  t.match(fourth.log, /\nproduct\nref\nrun.sh\nsrc\nb.c\n/, 'what left the sources is removed');
  const clean = await run(rig, mac, upload(without), 'ls -1', true);
  t.match(clean.log, /\nrun.sh\nsrc\n/);
  t.notMatch(clean.log, 'product');
});

t.test('times of sources are those of the host, even if the clock of the guest is wrong', async (t) => {
  const rig = await openGuestRig(t);
  const mac = createMac(t);
  for (const skew of everyNth(2, ['-1H', '+2H'])) {
    await rig.host.tart('exec', 'cidermill-1', 'sudo', 'date', '-v', skew, '+%s');
    const { log, result } = await run(
      rig,
      mac,
      upload({ 'a.txt': skew }),
      'stat -f %m a.txt; touch product; cat a.txt',
    );
    t.equal(result.exit_code, 0);
    const seconds = Number(/\n(\d{10})\n/.exec(log)?.[1]);
    t.ok(Math.abs(seconds - Date.now() / 1000) < 600, log);
    t.ok(Math.abs((result.script_started_at ?? 0) - Date.now()) < 600_000);
    const again = await run(rig, mac, upload({ 'a.txt': skew }), 'true');
    t.equal(crossed(again.log), null);
  }
});

t.test('a repository is complete in the guest, and changes of builds in .git are undone', async (t) => {
  const rig = await openGuestRig(t);
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const commit = app.commit('main', { 'a.txt': 'one', 'bin/run': '#!/bin/sh\n' });
  const source = host.source('app', { ref: 'main' });
  const build = (script: string) => rig.run(script, { checkOutSources: checkingOut(mac, source) });
  const inspect =
    'chmod 0 a.txt; git status --porcelain; chmod 644 a.txt; git log -1 --format=%H; git fsck 2>&1 | tail -1; git branch -a';
  const first = await build(inspect);
  t.match(first.log, `\n${commit}\n`);
  t.match(first.result, { exit_code: 0, commit_sha: commit });
  const second = await build(
    'touch .git/index.lock; mkdir -p .git/hooks; echo "exit 1" >.git/hooks/pre-commit; git config alias.status "!echo mine"; echo two >a.txt',
  );
  t.equal(second.result.exit_code, 0);
  // Git reads files that are as old as its index; the index of this build is written in another second.
  const checkedOut = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > checkedOut, 'the next second');
  const third = await build(
    `${inspect}; ls .git/hooks .git/index.lock 2>/dev/null || true; git config alias.status || true; cat a.txt`,
  );
  t.notMatch(third.log, /pre-commit|index.lock|mine/);
  t.notMatch(third.log, 'a.txt', 'without reading it, git knows that the file is as it was');
  t.match(third.log, /\none$|one\n/);
  t.match(third.log, `\n${commit}\n`);
});

t.test('submodules, renames by case, modes and links of a repository reach the guest', async (t) => {
  const rig = await openGuestRig(t);
  const { mac, host } = await start(t);
  const [lib, app] = [host.upstream('lib'), host.upstream('app')];
  const libCommit = lib.commit('main', { 'lib.h': 'lib' });
  app.commit(
    'main',
    { '.gitmodules': '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n', 'src/Readme.md': 'one' },
    { 'vendor/lib': libCommit },
  );
  const build = (script: string) =>
    rig.run(script, { checkOutSources: checkingOut(mac, host.source('app', { ref: 'main' })) });
  const first = await build(
    'cat vendor/lib/lib.h; git submodule status; git status --short; echo made >vendor/lib/made',
  );
  t.match(first.log, new RegExp(`lib ${libCommit} vendor/lib `), first.log);
  app.commit('main', { 'src/Readme.md': null, 'src/README.md': 'two', '-n $(x).txt': 'odd' });
  const second = await build('ls -1 src vendor/lib; cat src/README.md ./-n*; git status --short');
  t.match(second.log, /src:\nREADME.md\n\nvendor\/lib:\nlib.h\nmade\n/);
  t.match(second.log, 'two');
  app.commit('main', { '.gitmodules': null }, { 'vendor/lib': null });
  const third = await build('ls -A; find .git -name "*lib*" -path "*modules*"');
  t.equal(third.result.exit_code, 0);
  t.notMatch(third.log, 'lib.h');
});

t.test('a build that closes or deletes the parent of the service’s folders stops no other one', async (t) => {
  const rig = await openGuestRig(t);
  for (const script of ['sudo chmod 0 /Users/Shared', 'cd /; sudo rm -rf /Users/Shared']) {
    await rig.run(script);
    t.match((await rig.run('pwd')).result, { exit_code: 0 }, script);
  }
});

t.test(
  'on a full disk of the guest other work folders are deleted, then the build fails with fault customer',
  async (t) => {
    const rig = await openGuestRig(t, { guestDiskMb: 8 });
    const mac = createMac(t);
    const big = (mb: number, fill: string) => upload({ big: Buffer.alloc(mb * 2 ** 20, fill) });
    const build = (key: string, from: Upload) =>
      rig.run('wc -c <big', { checkOutSources: checkingOut(mac, from), spec: { source_key: key } });
    t.match((await build('one', big(2, 'a'))).result, { exit_code: 0 });
    const second = await build('two', big(7, 'b'));
    t.match(second.result, { exit_code: 0 });
    t.match(second.log, 'The disk of the Mac is full; deleted the work folders of other sources and trying again.');
    const third = await build('three', big(12, 'c'));
    t.match(third.result, { outcome: 'failed', step: 'source', reason_code: 'disk_full', fault: 'customer' });
    const state = path.join(rig.dataDir, 'macs/s1/sources');
    t.equal(readdirSync(state).length, 3, 'the checkouts on the host stay');
    t.match((await build('one', big(2, 'a'))).result, { exit_code: 0 }, 'builds that fit go on');
  },
);
