// A repository in the work folder of a build, and what the next build makes of it.
// Runs in: soak
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runs } from '../../harness/soak.js';
import { failureOf, look, stamps, upload } from './source-fixtures.js';
import { type CodeHost, checkOutGit, files, run, runBeside, start } from './source-git-fixtures.js';

t.test('a repository is checked out at a branch, a tag, a commit or a pull request', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { 'a.txt': 'one', 'bin/run': '#!/bin/sh\n', 'ünï/日本.txt': 'name' });
  run(app.path, 'tag', '-m', 'first', 'v1', one);
  run(app.path, 'tag', 'light', one);
  const two = app.commit('main', { 'a.txt': 'two' });
  const topic = app.commit('topic/x', { 'a.txt': 'topic' });
  const both = app.commit('both', { 'a.txt': 'branch' });
  run(app.path, 'tag', 'both', one);
  const pull = app.commit('tmp', { 'a.txt': 'pull' });
  app.point('refs/pull/7/head', pull);
  app.point('refs/pull/7/merge', one);
  app.point('refs/merge-requests/8/head', pull);
  app.point('refs/pull-requests/9/from', pull);
  app.drop('refs/heads/tmp');

  const targets: [Parameters<CodeHost['source']>[1], string, string][] = [
    [{}, two, 'two'],
    [{ ref: 'main' }, two, 'two'],
    [{ ref: 'HEAD' }, two, 'two'],
    [{ ref: 'topic/x' }, topic, 'topic'],
    [{ ref: 'heads/topic/x' }, topic, 'topic'],
    [{ ref: 'refs/heads/topic/x' }, topic, 'topic'],
    [{ ref: 'v1' }, one, 'one'],
    [{ ref: 'light' }, one, 'one'],
    [{ ref: 'refs/tags/v1' }, one, 'one'],
    [{ ref: 'both' }, both, 'branch'],
    [{ ref: 'refs/tags/both' }, one, 'one'],
    [{ ref: one }, one, 'one'],
    [{ commit: one }, one, 'one'],
    [{ commit: one.toUpperCase() }, one, 'one'],
    [{ commit: one.slice(0, 7) }, one, 'one'],
    [{ commit: topic.slice(0, 12), ref: 'main' }, topic, 'topic'],
    [{ commit: pull, pr: 7 }, pull, 'pull'],
    [{ commit: pull.slice(0, 10), pr: 7 }, pull, 'pull'],
    [{ pr: 7 }, pull, 'pull'],
    [{ pr: 8 }, pull, 'pull'],
    [{ pr: 9 }, pull, 'pull'],
    [{ ref: 'refs/pull/7/merge' }, one, 'one'],
  ];
  let last = '';
  for (const fresh of [false, true]) {
    host.oldProtocol = fresh;
    // The default run tests a sixth of them with an old server and half, the others, with a current one.
    const some = targets.filter((_, at) => (fresh ? at % runs(6, 1) === 0 : at % runs(2, 1) === runs(1, 0)));
    for (const [target, commit, content] of some) {
      const name = `${JSON.stringify(target)}${fresh ? ', first build, from an old server' : ''}`;
      if (fresh) rmSync(join(mac.root, 'cache'), { recursive: true });
      const checkout = await checkOutGit(mac, host.source('app', target), { cleanTree: fresh });
      t.equal(checkout.commit, commit, name);
      t.match(checkout.about, { author: 'A', title: /./ }, name);
      last = commit;
      t.strictSame(files(mac.work), { 'a.txt': content, 'bin/run': '#!/bin/sh\n +x', 'ünï/日本.txt': 'name' }, name);
    }
  }
  t.equal(run(mac.work, 'rev-parse', 'HEAD'), last);
});

t.test('the .git of the work folder is self-contained', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one' });
  run(app.path, 'tag', '-m', 'first', 'v1', one);
  const two = app.commit('main', { a: 'two', b: 'b' });
  await checkOutGit(mac, host.source('app'));
  rmSync(join(mac.root, 'cache'), { recursive: true });
  rmSync(join(mac.root, 'mac/state'), { recursive: true });
  renameSync(host.root, `${host.root}-away`);

  t.equal(run(mac.work, 'status', '--porcelain'), '');
  t.equal(run(mac.work, 'rev-parse', 'HEAD'), two);
  t.equal(run(mac.work, 'describe', '--tags'), `v1-1-g${two.slice(0, 7)}`);
  t.equal(run(mac.work, 'show', 'v1:a'), 'one');
  t.equal(run(mac.work, 'rev-list', '--count', 'HEAD'), '2');
  t.equal(run(mac.work, 'remote', 'get-url', 'origin'), `${host.origin}/app`);
  t.throws(() => run(mac.work, 'symbolic-ref', 'HEAD'), 'detached');
  run(mac.work, 'fsck', '--full', '--strict');
  writeFileSync(join(mac.work, 'a'), 'changed');
  run(mac.work, 'commit', '-qam', 'of the build');
  run(mac.work, 'gc', '-q');
  renameSync(`${host.root}-away`, host.root);
  await runBeside(mac.work, {}, 'fetch', '-q', 'origin');
  t.equal(run(mac.work, 'rev-parse', 'origin/main'), two);
});

t.test('the next build changes only what the commits changed', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  app.commit('main', { 'keep/a': 'a', 'keep/b': 'b', change: '1', 'gone/x': 'x', 'gone/y': 'y' });
  const first = await checkOutGit(mac, host.source('app'));
  t.match(first, { changed: 5, removed: 0, bytes: 5 });
  writeFileSync(join(mac.work, 'gone/product.o'), 'product');
  mkdirSync(join(mac.work, 'build'));
  writeFileSync(join(mac.work, 'build/product.o'), 'product');
  utimesSync(join(mac.work, 'keep/b'), 1_000_000_000, 1_000_000_000);
  const kept = ['keep/a', 'keep/b', 'build/product.o'];
  const before = stamps(mac.work, kept);

  app.commit('main', { change: '22', 'new/file': 'new', 'gone/x': null, 'gone/y': null });
  t.match(await checkOutGit(mac, host.source('app')), { changed: 2, removed: 2, bytes: 5 });
  const expected = {
    'build/product.o': 'product',
    change: '22',
    'gone/product.o': 'product',
    'keep/a': 'a',
    'keep/b': 'b',
    'new/file': 'new',
  };
  t.strictSame(files(mac.work), expected);
  t.strictSame(stamps(mac.work, kept), before, 'also one that was only touched');

  const asked = host.requests.length;
  t.match(await checkOutGit(mac, host.source('app')), { changed: 0, removed: 0, bytes: 0 });
  t.notOk(host.requests.slice(asked).some((request) => host.requests.length - asked > 3 || /receive/.test(request)));

  await checkOutGit(mac, host.source('app'), { cleanTree: true });
  t.strictSame(Object.keys(files(mac.work)), ['change', 'keep/a', 'keep/b', 'new/file']);

  await mac.checkOut(upload({ change: 'by upload' }));
  t.strictSame(look(mac.work), { change: 'by upload' }, 'an upload starts from an empty folder');
  await checkOutGit(mac, host.source('app'));
  t.strictSame(Object.keys(files(mac.work)), ['change', 'keep/a', 'keep/b', 'new/file']);
  host.upstream('other').commit('main', { other: 'o' });
  await checkOutGit(mac, host.source('other'));
  t.strictSame(files(mac.work), { other: 'o' }, 'and so does another repository');
});

t.test('branches are force-pushed, deleted, renamed, and tags are moved', async (t) => {
  const { mac, host } = await start(t);
  const app = host.upstream('app');
  const one = app.commit('main', { a: 'one', b: 'b' });
  const two = app.commit('main', { a: 'two', c: 'c' });
  app.point('refs/tags/moving', one);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'main' }))).commit, two);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'moving' }))).commit, one);
  app.point('refs/heads/main', one);
  const forced = app.commit('main', { a: 'forced' });
  app.point('refs/tags/moving', forced);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'main' }))).commit, forced);
  t.strictSame(files(mac.work), { a: 'forced', b: 'b' });
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'moving' }))).commit, forced);
  t.equal(
    (await checkOutGit(mac, host.source('app', { commit: two }))).commit,
    two,
    'what was pushed over is still here',
  );

  app.point('refs/heads/feature', one);
  t.equal((await checkOutGit(mac, host.source('app', { ref: 'feature' }))).commit, one);
  app.drop('refs/heads/feature');
  t.match(await failureOf(checkOutGit(mac, host.source('app', { ref: 'feature' }))), {
    step: 'source',
    reasonCode: 'commit_not_found',
    fault: 'customer',
    message: 'The repository has no branch or tag feature.',
  });
  app.point('refs/heads/feature/deep', two);
  t.equal(
    (await checkOutGit(mac, host.source('app', { ref: 'feature/deep' }))).commit,
    two,
    'a name below the old one',
  );
});
