// Downloads of artifacts by the command line.
// Runs in: soak
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { safeParts } from '../../client/artifacts/paths.js';
import { BUNDLE_COMMENT } from '../../shared/archive/bundle.js';
import { type TarEntry, tarComment, tarEnd, tarHeader, tarPadding } from '../../shared/archive/tar-writer.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import type { ScriptedService } from './scripted-service.js';

/** A build with artifacts `small/0`, `small/1` …, and `large`. */
function leave(service: ScriptedService, small: number): void {
  service.onSubmit = (build) => {
    for (let n = 0; n < small; n++) build.addArtifact(`small/${n}`, `content ${n}`);
    build.addArtifact('large', 'x'.repeat(300_000));
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
}

t.test('small artifacts come many in one request', async (t) => {
  const { service, place } = await setUp(t);
  leave(service, 40);
  const target = join(place.root, 'got');
  const build = () => runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  const whole = () => {
    t.equal(readFileSync(join(target, 'large'), 'utf8').length, 300_000);
    for (let n = 0; n < 40; n++) t.equal(readFileSync(join(target, `small/${n}`), 'utf8'), `content ${n}`);
    t.same(readdirSync(target).sort(), ['large', 'small']);
    rmSync(target, { recursive: true });
  };
  t.equal((await build()).code, 0);
  whole();
  t.equal(service.seen('POST /artifacts/contents').length, 1);
  t.equal(service.seen('GET /signed/*').length, 1, 'the large one');

  for (const [status, code] of [
    [405, 'method_not_allowed'],
    [404, 'not_found'],
  ] as const) {
    service.requests.length = 0;
    service.instead('POST /artifacts/contents', { status, error: { code } });
    t.equal((await build()).code, 0);
    whole();
    t.equal(service.seen('POST /artifacts/contents').length, 1, 'an older service is asked once');
    t.equal(service.seen('GET /signed/*').length, 41);
  }
});

t.test('a download that breaks off is continued; an answer for another range is refused', async (t) => {
  const { service, place } = await setUp(t);
  leave(service, 3);
  const target = join(place.root, 'got');
  const build = () => runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  const first = 'f_1 9\ncontent 0';
  service.instead('POST /artifacts/contents', { status: 200, text: `${first}f_2 9\ncont` });
  t.equal((await build()).code, 0);
  t.equal(service.seen('POST /artifacts/contents').length, 2);
  for (let n = 0; n < 3; n++) t.equal(readFileSync(join(target, `small/${n}`), 'utf8'), `content ${n}`);
  rmSync(target, { recursive: true });

  for (const text of [
    'f_99 9\ncontent 0',
    '../../evil 9\ncontent 0',
    'f_5 -1\n',
    'no line\n',
    `${'f'.repeat(5_000)} 9\n`,
  ]) {
    rmSync(target, { recursive: true, force: true });
    service.instead('POST /artifacts/contents', { status: 200, text });
    const { code, stderr } = await build();
    t.equal(code, 70, text.slice(0, 20));
    t.match(stderr, /not asked for/);
    t.same(readdirSync(target), ['small'], 'with nothing in it');
    t.same(readdirSync(join(target, 'small')), []);
  }
  t.same(readdirSync(place.root).includes('evil'), false);
});

t.test('artifacts come down safely', async (t) => {
  const { service, place } = await setUp(t);
  const outside = join(place.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'victim'), 'untouched');
  const target = join(place.root, 'got');
  mkdirSync(target);
  symlinkSync(outside, join(target, 'link'));
  symlinkSync(join(outside, 'victim'), join(target, 'file-link'));
  mkdirSync(join(target, 'is-folder'));
  const names = [
    'app.ipa',
    'logs/deep/x.txt',
    '../evil',
    'a/../../evil',
    '/abs',
    'a//b',
    './a',
    'link/evil',
    'file-link',
    'is-folder',
    'APP.IPA',
    'nul\0',
    'a\\b',
    '.git/config',
    'sub/.GIT/config',
    'git~1/config',
    '.git./config',
    '.g\u200cit/config',
    '.hg/hgrc',
    '',
    '.',
    'esc\u001b[2J',
    'n'.repeat(300),
  ];
  service.onSubmit = (build) => {
    for (const name of names) build.addArtifact(name, `content of ${name}`);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const { code, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  t.equal(code, 70, 'a build whose artifacts could not all be saved is not a plain success');
  t.equal(readFileSync(join(target, 'app.ipa'), 'utf8'), 'content of app.ipa');
  t.equal(readFileSync(join(target, 'logs/deep/x.txt'), 'utf8'), 'content of logs/deep/x.txt');
  t.equal(readFileSync(join(target, 'file-link'), 'utf8'), 'content of file-link', 'a link is replaced, not followed');
  t.equal(readFileSync(join(outside, 'victim'), 'utf8'), 'untouched');
  t.same(readdirSync(outside), ['victim']);
  t.same(readdirSync(target).sort(), ['app.ipa', 'file-link', 'is-folder', 'link', 'logs']);
  t.notOk(existsSync(join(place.root, 'evil')));
  t.equal([...stderr.matchAll(/was not saved/g)].length, names.length - 3);
  t.match(stderr, /3 artifacts in /);
  t.notMatch(stderr, /\u001b/);

  const listed = await runCli(place, ['artifacts', 'rb_000001', '--json']);
  t.equal(JSON.parse(listed.stdout).artifacts.length, names.length);
  t.match((await runCli(place, ['artifacts', 'rb_000001'])).stdout, /FILE +SIZE +KEPT UNTIL +NAME\nf_1 .*app\.ipa/);

  service.onSubmit = (build) => {
    build.addArtifact('one', '1');
    build.addArtifact('short', 'abc', { bytes: 5 });
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
  const short = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'two')]);
  t.match(short, { code: 69, stderr: /arrived with 3 of 5 bytes/ });
  t.same(readdirSync(join(place.root, 'two')), ['one'], 'a file is there whole or not at all');
  service.instead('POST /artifacts/contents', { status: 405, error: { code: 'method_not_allowed' } });
  service.instead('GET /signed/*', { cut: true }, 2);
  t.match(await runCli(place, ['artifacts', 'rb_000002', '-o', join(place.root, 'three')]), { code: 69 });
  t.equal(readFileSync(join(place.root, 'three/one'), 'utf8'), '1', 'a lost connection is tried again');

  for (const good of ['a', 'a/b', '...', 'ü/ß', 'with space']) t.ok(safeParts(good), good);
  t.end();
});

/** Has the next build leave these artifacts. */
function leaving(service: ScriptedService, artifacts: Record<string, string | Buffer>) {
  service.onSubmit = (build) => {
    for (const [name, content] of Object.entries(artifacts)) build.addArtifact(name, content);
    build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  };
}

t.test('saving into a checkout leaves git as it is', async (t) => {
  const { service, place } = await setUp(t, { Makefile: 'all:\n\techo fine\n', 'src/a.c': 'int a;' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@example.com', ...args], {
      cwd: place.project,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'all');
  const config = readFileSync(join(place.project, '.git/config'), 'utf8');
  const evil = `[core]\n\tfsmonitor = "touch ${join(place.root, 'pwned')}; false"\n`;
  leaving(service, {
    '.git/config': evil,
    'GIT~1/config': evil,
    Makefile: 'all:\n\techo evil\n',
    'SRC/A.C': 'evil',
    'bare/HEAD': 'ref: refs/heads/main\n',
    'bare/config': evil,
    'bare/objects/x': '',
    'bare/refs/x': '',
    'linked/head': 'ref: refs/heads/main\n',
    'linked/commondir': '../bare',
    'report.txt': 'one',
  });
  const first = await runCli(place, ['build', '--script', 'x', '--artifacts', '.']);
  t.equal(first.code, 70);
  t.equal(readFileSync(join(place.project, '.git/config'), 'utf8'), config);
  t.equal(readFileSync(join(place.project, 'Makefile'), 'utf8'), 'all:\n\techo fine\n');
  t.equal(readFileSync(join(place.project, 'src/a.c'), 'utf8'), 'int a;');
  t.match(first.stderr, /Makefile was not saved: git tracks a file with this name/);
  t.match(first.stderr, /\.git\/config was not saved: it belongs to version control/);
  t.match(first.stderr, /bare\/HEAD was not saved: its folder would become a git repository/);
  t.match(first.stderr, /linked\/head was not saved/);
  for (const folder of ['.', 'bare', 'linked']) {
    execFileSync('git', ['status'], { cwd: join(place.project, folder), stdio: 'ignore' });
  }
  t.notOk(existsSync(join(place.root, 'pwned')), 'no command of the build has run');
  t.equal(readFileSync(join(place.project, 'report.txt'), 'utf8'), 'one');

  leaving(service, { 'report.txt': 'two' });
  const again = await runCli(place, ['build', '--script', 'x', '--artifacts', '.']);
  t.equal(again.code, 0, again.stderr);
  t.equal(readFileSync(join(place.project, 'report.txt'), 'utf8'), 'two', 'what git does not track is replaced');
});

t.test('no git repository comes about in several steps, and none that is there is changed', async (t) => {
  const { service, place } = await setUp(t);
  const target = join(place.root, 'got');
  const evil = `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${join(place.root, 'pwned')}; false"\n`;
  const save = () => runCli(place, ['build', '--script', 'x', '--artifacts', target]);
  leaving(service, {
    'a/HEAD': 'ref: refs/heads/main\n',
    'a/config': evil,
    'b/objects/x': '',
    'b/refs/x': '',
  });
  t.equal((await save()).code, 0, 'no repository yet');
  leaving(service, {
    'a/objects/x': '',
    'a/refs/x': '',
    'b/HEAD': 'ref: refs/heads/main\n',
    'b/config': evil,
  });
  const second = await save();
  t.equal(second.code, 70);
  t.match(second.stderr, /a\/refs\/x was not saved: its folder would become a git repository/);
  t.match(second.stderr, /b\/HEAD was not saved: its folder would become a git repository/);
  execFileSync('git', ['init', '-q', '--bare', join(target, 'mirror')]);
  leaving(service, { 'mirror/config': evil, 'mirror/hooks/pre-commit': evil });
  const third = await save();
  t.equal(third.code, 70);
  t.match(third.stderr, /mirror\/config was not saved: it is inside a git repository/);
  t.match(third.stderr, /mirror\/hooks\/pre-commit was not saved/);
  for (const folder of ['a', 'b', 'mirror']) {
    const git = spawnSync('git', ['status'], { cwd: join(target, folder) });
    t.not(git.status, 0, `${folder} has no work tree to look at`);
  }
  t.notOk(existsSync(join(place.root, 'pwned')), 'no command of the build has run');
});

t.test('saving into a project without git replaces nothing; beside it, what was saved before', async (t) => {
  const { service, place } = await setUp(t, { 'a.txt': 'mine' });
  leaving(service, { 'a.txt': 'theirs', 'b.txt': 'new' });
  for (const folder of ['.', place.project, place.root]) {
    const { code, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', folder]);
    t.equal(code, folder === place.root ? 0 : 70, folder);
    if (folder !== place.root) t.match(stderr, /a\.txt was not saved: a file with this name exists/);
  }
  t.equal(readFileSync(join(place.project, 'a.txt'), 'utf8'), 'mine');
  t.equal(readFileSync(join(place.project, 'b.txt'), 'utf8'), 'new');
  for (const text of ['one', 'two']) {
    leaving(service, { 'a.txt': text });
    t.equal((await runCli(place, ['build', '--script', 'x', '--artifacts', 'out'])).code, 0);
    t.equal(readFileSync(join(place.project, 'out/a.txt'), 'utf8'), text);
  }
});

/** An archive as the host makes it of a bundle, or nearly so. */
function bundleArchive(entries: Partial<TarEntry & { body: string }>[], comment = BUNDLE_COMMENT): Buffer {
  const blocks = entries.flatMap(({ body = '', ...entry }) => {
    const size = Buffer.byteLength(body);
    const whole = { type: 'file', path: '', mode: 0o644, mtime: 0, target: '', size, ...entry } as const;
    return [tarHeader(whole), Buffer.from(body), tarPadding(size)];
  });
  return gzipSync(Buffer.concat([tarComment(comment), ...blocks, tarEnd()]));
}

t.test('bundles are unpacked again, and replace the one that was saved before', async (t) => {
  const { service, place } = await setUp(t);
  const app = (version: string) =>
    bundleArchive([
      { type: 'directory', path: 'My.app', mode: 0o755 },
      { path: 'My.app/bin', mode: 0o755, body: version },
      { path: `My.app/only-${version}`, body: '' },
      { type: 'link', path: 'My.app/current', target: 'bin' },
      { type: 'directory', path: 'My.app/empty', mode: 0o755 },
    ]);
  const at = (name: string) => join(place.project, 'out/sub/My.app', name);
  for (const version of ['1', '2']) {
    leaving(service, {
      'sub/My.app.tar.gz': app(version),
      'sub/own.app.tar.gz': gzipSync('not of the service'),
    });
    const { code, stdout, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', 'out', '--json']);
    t.equal(code, 0, stderr);
    t.match(JSON.parse(stdout).artifacts[0].saved_to, /out\/sub\/My\.app$/);
    t.equal(readFileSync(at('bin'), 'utf8'), version);
    t.ok((statSync(at('bin')).mode & 0o100) !== 0);
    t.equal(readlinkSync(at('current')), 'bin');
    t.ok(statSync(at('empty')).isDirectory());
    t.same(readdirSync(at('')).sort(), ['bin', 'current', 'empty', `only-${version}`]);
    t.same(readdirSync(join(place.project, 'out/sub')).sort(), ['My.app', 'own.app.tar.gz'], 'nothing is left');
  }
});

t.test('an archive that is not harmless stays packed', async (t) => {
  const { service, place } = await setUp(t);
  const outside = join(place.root, 'outside');
  mkdirSync(outside);
  const harmful: Record<string, Parameters<typeof bundleArchive>[0]> = {
    git: [{ path: 'X.app/.git/config', body: '[core]' }],
    'git by its short name': [{ path: 'X.app/GIT~1/config' }],
    mercurial: [{ path: 'X.app/.hg/hgrc' }],
    upward: [{ path: 'X.app/../evil', body: 'x' }],
    absolute: [{ path: `${outside}/evil`, body: 'x' }],
    'another folder': [{ path: 'Y.app/evil', body: 'x' }],
    'a file': [{ path: 'X.app', body: 'x' }],
    'a link out of the bundle': [{ type: 'link', path: 'X.app/l', target: '../.git/config' }],
    'an absolute link': [{ type: 'link', path: 'X.app/l', target: outside }],
    'a file through a link': [
      { type: 'link', path: 'X.app/l', target: '.' },
      { path: 'X.app/l/evil', body: 'x' },
    ],
    'a git repository without .git': [
      { path: 'X.app/sub/HEAD', body: 'ref: refs/heads/main' },
      { path: 'X.app/sub/objects/x' },
      { type: 'link', path: 'X.app/sub/refs', target: 'objects' },
    ],
    'a control character': [{ path: 'X.app/a\u001bb' }],
    nothing: [],
    'a bomb': [{ path: 'X.app/zeros', body: '0'.repeat(70_000_000) }],
  };
  for (const [name, entries] of Object.entries(harmful)) {
    leaving(service, { 'X.app.tar.gz': bundleArchive(entries) });
    const target = join(place.root, 'got', name);
    const { code, stderr } = await runCli(place, ['build', '--script', 'x', '--artifacts', target]);
    t.equal(code, 0, name);
    t.match(stderr, /X\.app\.tar\.gz was not unpacked/, name);
    t.same(readdirSync(target), ['X.app.tar.gz'], name);
  }
  t.same(readdirSync(outside), []);

  const fine = bundleArchive([{ path: 'X.app/f', body: 'x' }]);
  leaving(service, { 'X.app.tar.gz': fine, 'X.app/late': 'y' });
  const late = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'late')]);
  t.match(late, { code: 70, stderr: /X\.app\/late was not saved: it is inside a bundle/ });
  leaving(service, { 'X.app/early': 'y', 'X.app.tar.gz': fine });
  const early = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'early')]);
  t.match(early, { code: 0, stderr: /was not unpacked: another artifact/ });
  t.equal(readFileSync(join(place.root, 'early/X.app/early'), 'utf8'), 'y');
  symlinkSync(outside, join(place.root, 'late/Y.app'));
  leaving(service, { 'Y.app.tar.gz': bundleArchive([{ path: 'Y.app/f', body: 'x' }]) });
  const link = await runCli(place, ['build', '--script', 'x', '--artifacts', join(place.root, 'late')]);
  t.match(link, { stderr: /Y\.app\.tar\.gz was not unpacked: a part of its path exists and is not a folder/ });
  t.same(readdirSync(outside), []);
});
