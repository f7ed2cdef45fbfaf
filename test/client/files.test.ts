import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { parseIgnoreRules } from '../../client/files/ignore-rules.js';
import { scanFolder } from '../../client/files/scan.js';
import { walkFiles } from '../../client/files/walk.js';
import { cases } from '../harness/soak.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'cidermill-files-')));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
let serial = 0;

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  XDG_CACHE_HOME: join(home, 'cache'),
  XDG_CONFIG_HOME: join(home, 'config'),
  GIT_CONFIG_NOSYSTEM: '1',
  ...more,
});
/** An environment in which there is no git. */
const withoutGit = environment({ PATH: join(home, 'nowhere') });

/** A folder with these files; a name that ends in a slash is an empty folder. */
function folder(files: Record<string, string>): string {
  const dir = join(home, `tree-${++serial}`);
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) put(dir, name, content);
  return dir;
}

function put(dir: string, name: string, content = ''): void {
  const file = join(dir, name);
  mkdirSync(name.endsWith('/') ? file : dirname(file), { recursive: true });
  if (!name.endsWith('/')) writeFileSync(file, content);
}

function git(dir: string, ...args: string[]): string {
  const settings = ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...settings, ...args], {
    cwd: dir,
    env: environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();
}

const scan = (dir: string, env = environment()) => scanFolder(dir, { env, now: () => Date.now() });
const pathsOf = async (dir: string, env?: NodeJS.ProcessEnv) =>
  (await scan(dir, env)).files.map(({ path }) => path).sort();

/** What git lists and is there. */
function gitPaths(dir: string, ...what: string[]): string[] {
  const listed = git(dir, 'ls-files', '-z', '--exclude-standard', ...(what.length > 0 ? what : ['-c', '-o'])).split(
    '\0',
  );
  return listed.filter((name) => name !== '' && statSync(join(dir, name), { throwIfNoEntry: false })?.isFile()).sort();
}

t.test('single rules mean what gitignore(5) says', async (t) => {
  const table: [string, string, boolean, string | null][] = [
    ['*.o', 'a/b.o', false, 'ignored'],
    ['/*.o', 'a/b.o', false, null],
    ['build/', 'build', false, null],
    ['build/', 'a/build', true, 'ignored'],
    ['a/b', 'x/a/b', false, null],
    ['**/b', 'x/a/b', false, 'ignored'],
    ['a/**/b', 'a/b', false, 'ignored'],
    ['a/**/b', 'a/x/y/b', false, 'ignored'],
    ['a/**', 'a', true, null],
    ['a/**', 'a/x', false, 'ignored'],
    ['# no', '# no', false, null],
    ['\\#yes', '#yes', false, 'ignored'],
    ['\\!yes', '!yes', false, 'ignored'],
    ['!yes', 'yes', false, 'included'],
    ['space\\ ', 'space ', false, 'ignored'],
    ['space  ', 'space', false, 'ignored'],
    ['[a-c]?[!x]', 'bzy', false, 'ignored'],
    ['[a-c]?[!x]', 'bzx', false, null],
    ['[[:digit:]]*', '7up', false, 'ignored'],
    ['[]-]', ']', false, 'ignored'],
    ['open[', 'open[', false, null],
    ['lone\\', 'lone\\', false, null],
    ['??', 'é', false, 'ignored'],
    ['?', 'é', false, null],
    ['ALL', 'all', false, null],
    ['\ufefffirst', 'first', false, 'ignored'],
    ['cr\r', 'cr', false, 'ignored'],
    ['', 'a', false, null],
    ['/', 'a', true, null],
  ];
  for (const [rule, path, isDirectory, expected] of table) {
    t.equal(parseIgnoreRules(rule).judge(path, isDirectory), expected, `${JSON.stringify(rule)} on ${path}`);
  }
  t.equal(parseIgnoreRules('ALL', { ignoreCase: true }).judge('all', false), 'ignored');
  t.equal(parseIgnoreRules('*\n!a\na\n').judge('a', false), 'ignored', 'the last rule that matches decides');
});

const NAMES = [
  'a',
  'b',
  'ab',
  'foo',
  'foo.o',
  'bar',
  'é',
  'a b',
  '[x]',
  'x-y',
  '!z',
  '#h',
  'foo ',
  'A',
  'a]',
  '\\q',
  '-',
];
const GLOBS = [
  '*',
  '?',
  '**',
  '*.o',
  'f*',
  '[a-b]',
  '[!a]',
  '[^a]*',
  '[]a]',
  '[[:alpha:]]',
  '[a-]',
  '\\!z',
  '\\#h',
  'foo\\ ',
  'a?b',
  '??',
  '*b',
  '\\[x\\]',
  '[[]x]',
  'a*',
  '\\a',
  'foo\\',
  '[a',
  '[[:bad:]]',
  '[\\]a]',
  '***',
  'f**',
  'a**b',
  '[z-a]',
  '[--a]',
];

t.test('a walk equals git on trees and rules of every kind', async (t) => {
  const name = fc.constantFrom(...NAMES);
  const part = fc.oneof(name, fc.constantFrom(...GLOBS));
  const rule = fc
    .tuple(
      fc.constantFrom('', '!'),
      fc.constantFrom('', '', '/'),
      fc.oneof(fc.tuple(part), fc.array(part, { minLength: 1, maxLength: 3 })),
      fc.constantFrom('', '', '/'),
      fc.constantFrom('', '', '', '  ', '\r'),
    )
    .map(([bang, root, parts, end, tail]) => bang + root + parts.join('/') + end + tail);
  const rules = fc.array(rule, { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`);
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  let left = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(path, { minLength: 1, maxLength: 25 }),
      fc.array(fc.tuple(fc.array(name, { maxLength: 2 }), rules), { minLength: 1, maxLength: 3 }),
      rules,
      async (paths, ignoreFiles, excludes) => {
        const dir = folder({});
        for (const [above, text] of ignoreFiles) tryToPut(dir, [...above, '.gitignore'].join('/'), text);
        for (const parts of paths) tryToPut(dir, parts.join('/'));
        git(dir, 'init', '-q');
        put(dir, '.git/info/exclude', excludes);
        const expected = gitPaths(dir, '-o');
        const walked = walkFiles(dir, { env: withoutGit }).sort();
        left += walkFiles(dir, { env: withoutGit, everything: true }).length - walked.length;
        rmSync(dir, { recursive: true });
        return JSON.stringify(walked) === JSON.stringify(expected);
      },
    ),
    { numRuns: cases(10) },
  );

  t.ok(left > 0, `${left} files were left out`);
});

/** Random paths may want a file where a folder is. */
function tryToPut(dir: string, name: string, content = ''): void {
  try {
    put(dir, name, content);
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

t.test('a repository is listed as git lists it, with or without git', async (t) => {
  const dir = folder({
    '.gitignore': '*.log\n/build/\n!keep.log\nsecret*\n',
    'keep.log': '1',
    'drop.log': '2',
    'build/out': '3',
    'src/.gitignore': '!drop.log\n*.tmp\n',
    'src/drop.log': '4',
    'src/x.tmp': '5',
    'src/main.c': '6',
    'src/with "quotes"\nand a break': '7',
    'src/ü ': '8',
    'tracked-but-ignored.log': '9',
    deleted: '10',
    'private/notes': '11',
    'everywhere.bak': '12',
    '.cidermill/dev.json': '{}',
    'nested/.cidermill/fine': '13',
  });
  put(home, 'config/git/ignore', '*.bak\n');
  git(dir, 'init', '-q');
  put(dir, '.git/info/exclude', 'private/\n');
  git(dir, 'add', '-f', 'tracked-but-ignored.log', 'deleted', 'src/main.c');
  unlinkSync(join(dir, 'deleted'));
  const expected = gitPaths(dir).filter((name) => !name.startsWith('.cidermill/'));
  t.ok(expected.includes('tracked-but-ignored.log') && !expected.includes('everywhere.bak'));
  t.same(await pathsOf(dir), expected);
  t.same(
    await pathsOf(dir, withoutGit),
    expected.filter((name) => name !== 'tracked-but-ignored.log'),
    'without git only the memory of what is tracked is missing',
  );
  t.same(await pathsOf(join(dir, 'src')), gitPaths(join(dir, 'src')), 'a folder inside the repository');
  t.same(await pathsOf(join(dir, 'src'), withoutGit), gitPaths(join(dir, 'src'), '-o', '-c'));
  t.same(
    await pathsOf(dir, environment({ GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere' })),
    expected,
    'in a git hook',
  );
  writeFileSync(join(dir, '.git/HEAD'), 'nonsense');
  const broken = await scan(dir);
  t.match(broken.warnings, [/git could not list the files/], 'a broken repository is walked, with a warning');
  t.ok(broken.files.length > 5);
  rmSync(join(home, 'config'), { recursive: true });
});

t.test('excludes of one’s own are found where git finds them', async (t) => {
  const dir = folder({ 'a.x': '', 'a.y': '', 'a.z': '' });
  t.same(await pathsOf(dir), ['a.x', 'a.y', 'a.z'], 'a folder that is no repository');
  put(home, 'config/git/ignore', '*.x\n');
  t.same(await pathsOf(dir), ['a.y', 'a.z']);
  put(home, 'mine', '*.y\n');
  put(home, '.gitconfig', '[user]\n\tname = x\n[core]\n\texcludesFile = "~/mine"\n');
  t.same(await pathsOf(dir), ['a.x', 'a.z']);
  git(dir, 'init', '-q');
  t.same(await pathsOf(dir), gitPaths(dir));
  for (const file of ['.gitconfig', 'mine', 'config']) rmSync(join(home, file), { recursive: true });
});

t.test('nested repositories and submodules bring their own files', async (t) => {
  const library = folder({ 'lib.c': 'x', '.gitignore': '*.o\n', 'lib.o': '' });
  git(library, 'init', '-q');
  git(library, 'add', '.');
  git(library, 'commit', '-qm', 'x');
  const dir = folder({ 'main.c': '', '.gitignore': 'ignored-repo/\n' });
  git(dir, 'init', '-q');
  git(dir, 'submodule', 'add', '-q', library, 'sub');
  git(dir, 'submodule', 'add', '-q', library, 'absent');
  git(dir, 'commit', '-qm', 'x');
  rmSync(join(dir, 'absent'), { recursive: true });
  mkdirSync(join(dir, 'absent'));
  put(dir, 'sub/built.o');
  put(dir, 'sub/new.c');
  for (const name of ['beside', 'ignored-repo']) {
    put(dir, `${name}/.gitignore`, 'out/\n');
    put(dir, `${name}/code.c`);
    put(dir, `${name}/out/x`);
    git(join(dir, name), 'init', '-q');
  }
  const expected = [
    '.gitignore',
    '.gitmodules',
    'beside/.gitignore',
    'beside/code.c',
    'main.c',
    'sub/.gitignore',
    'sub/lib.c',
    'sub/new.c',
  ];
  t.same(await pathsOf(dir), expected);
  t.same(await pathsOf(dir, withoutGit), expected);
  put(dir, '.cidermillignore', 'sub/*.c\n');
  t.same(await pathsOf(dir), ['.cidermillignore', ...expected.filter((name) => !/^sub\/.*c$/.test(name))].sort());
});

t.test('a conflict in the middle of a merge lists each file once', async (t) => {
  const dir = folder({ a: '1' });
  git(dir, 'init', '-q', '-b', 'main');
  git(dir, 'add', '.');
  git(dir, 'commit', '-qm', '1');
  git(dir, 'checkout', '-qb', 'other');
  put(dir, 'a', '2');
  git(dir, 'commit', '-qam', '2');
  git(dir, 'checkout', '-q', 'main');
  put(dir, 'a', '3');
  git(dir, 'commit', '-qam', '3');
  t.throws(() => git(dir, 'merge', 'other'));
  t.same(await pathsOf(dir), ['a']);
});

t.test('.cidermillignore leaves out more, and takes ignored files back in', async (t) => {
  const files = {
    '.gitignore': 'Generated/\n*.env\n',
    'Assets/big.psd': '',
    'Assets/small.png': '',
    'Generated/Config.swift': '',
    'Generated/deep/More.swift': '',
    'prod.env': '',
    'test.env': '',
    'main.swift': '',
  };
  const own = '*.psd\n!/Generated/\nGenerated/deep/\n!test.env\n';
  const expected = [
    '.cidermillignore',
    '.gitignore',
    'Assets/small.png',
    'Generated/Config.swift',
    'main.swift',
    'test.env',
  ];
  const plain = folder({ ...files, '.cidermillignore': own });
  t.same(await pathsOf(plain), expected, 'no repository');
  const repository = folder({ ...files, '.cidermillignore': own });
  git(repository, 'init', '-q');
  git(repository, 'add', '.');
  t.same(await pathsOf(repository), expected, 'a repository, tracked files too');
  t.same(await pathsOf(repository, withoutGit), expected, 'a repository without git');
});

t.test('links are sent as copies when they stay inside, else left out with a warning', async (t) => {
  const dir = folder({
    'Kit.framework/Versions/A/Kit': 'binary',
    'Kit.framework/Versions/A/Headers/Kit.h': 'header',
    'docs/readme': 'text',
    'loop/x': '',
  });
  const outside = folder({ secret: 's' });
  const link = (target: string, name: string) => symlinkSync(target, join(dir, name));
  link('A', 'Kit.framework/Versions/Current');
  link('Versions/Current/Kit', 'Kit.framework/Kit');
  link('Versions/Current/Headers', 'Kit.framework/Headers');
  link('docs/readme', 'README');
  link('..', 'loop/up');
  link(join(outside, 'secret'), 'stolen');
  link('nowhere', 'broken');
  link('self', 'self');
  for (const env of [environment(), withoutGit]) {
    const { files, warnings } = await scan(dir, env);
    t.same(files.map(({ path }) => path).sort(), [
      'Kit.framework/Headers/Kit.h',
      'Kit.framework/Kit',
      'Kit.framework/Versions/A/Headers/Kit.h',
      'Kit.framework/Versions/A/Kit',
      'Kit.framework/Versions/Current/Headers/Kit.h',
      'Kit.framework/Versions/Current/Kit',
      'README',
      'docs/readme',
      'loop/x',
    ]);
    const copy = files.find(({ path }) => path === 'Kit.framework/Kit');
    t.equal(copy?.sha256, createHash('sha256').update('binary').digest('hex'));
    t.same(warnings.map((warning) => warning.split(' ')[0]).sort(), ['broken', 'loop/up', 'self', 'stolen']);
  }
  git(dir, 'init', '-q');
  git(dir, 'add', '.');
  renameSync(join(dir, 'docs'), join(outside, 'docs'));
  symlinkSync(join(outside, 'docs'), join(dir, 'docs'));
  const { files, warnings } = await scan(dir);
  t.notOk(
    files.some(({ path }) => path === 'docs/readme'),
    'a folder that became a link is not followed outside',
  );
  t.ok(warnings.some((warning) => warning.startsWith('docs ')));
});

t.test('a manifest tells content, size and mode of each file', async (t) => {
  const dir = folder({ empty: '', script: '#!/bin/sh\n', 'sub/data': 'x'.repeat(3_000_000) });
  chmodSync(join(dir, 'script'), 0o755);
  chmodSync(join(dir, 'empty'), 0o611);
  const { files } = await scan(dir);
  for (const { path, sha256, size, mode } of files) {
    const content = readFileSync(join(dir, path));
    t.same(
      { sha256, size, mode },
      {
        sha256: createHash('sha256').update(content).digest('hex'),
        size: content.length,
        mode: path === 'script' ? 493 : 420,
      },
      path,
    );
  }
  t.equal(files.length, 3);
});

t.test('names become NFC, and names that a Mac cannot tell apart are refused', async (t) => {
  t.same(await pathsOf(folder({ 'cafe\u0301/menu': '' })), ['caf\u00e9/menu']);
  const pairs: [string, string][] = [
    ['Read.me', 'read.me'],
    ['src/a', 'SRC/b'],
    ['\u00e9', 'e\u0301'],
    ['stra\u00dfe', 'STRASSE'],
    ['a/b/c/d', 'a/B/c/e'],
  ];
  for (const [one, other] of pairs) {
    const refused = scan(folder({ [one]: '', [other]: '' }));
    await t.rejects(refused, { name: 'SelectionError', message: /cannot tell these names apart/ }, `${one} ${other}`);
  }
  t.same(await pathsOf(folder({ 'a/b': '', 'a.b': '', ab: '' })), ['a.b', 'a/b', 'ab']);
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [
      [`f${n}`, ''],
      [`F${n}`, ''],
    ]).flat(),
  );
  await t.rejects(scan(folder(many)), { message: /and 4 more/ });

  const dir = folder({ fine: '' });
  writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad-`), Buffer.from([0xff])]), '');
  git(dir, 'init', '-q');
  const { files, warnings } = await scan(dir);
  t.same(
    files.map(({ path }) => path),
    ['fine'],
  );
  t.match(warnings, [/bad-.* is skipped: its name is not UTF-8/]);
});

t.test('unchanged files are not read again', async (t) => {
  const dir = folder(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`d${n % 3}/f${n}`, `content ${n}`])));
  git(dir, 'init', '-q');
  const aged = async () => {
    const past = new Date(Date.now() - 60_000);
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), past, past);
    }
    // Later than the file system's time step, within which a change cannot be seen.
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const rescan = async () => {
    const result = await scan(dir);
    result.saveIndex();
    const expected = gitPaths(dir).map((path) =>
      createHash('sha256')
        .update(readFileSync(join(dir, path)))
        .digest('hex'),
    );
    const found = new Map(result.files.map(({ path, sha256 }) => [path, sha256]));
    t.same(
      gitPaths(dir).map((path) => found.get(path)),
      expected,
      'the hashes are right',
    );
    return result.hashed;
  };
  await aged();
  t.equal(await rescan(), 30, 'the first time all are read');
  t.equal(await rescan(), 0);
  appendFileSync(join(dir, 'd0/f0'), '!');
  t.equal(await rescan(), 1, 'one has grown');
  const before = statSync(join(dir, 'd1/f1'));
  writeFileSync(join(dir, 'd1/f1'), 'CONTENT 1');
  utimesSync(join(dir, 'd1/f1'), before.atime, before.mtime);
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.ok((await rescan()) >= 1, 'same size and same time, other content: the change time tells');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await rescan();
  t.equal(await rescan(), 0);
  writeFileSync(join(dir, 'd2/f2'), 'content X');
  t.equal(await rescan(), 1);
  t.equal(await rescan(), 1, 'written a moment ago: it may change within the same tick, so it is read again');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await rescan();
  t.equal(await rescan(), 0, 'and then no more');
  unlinkSync(join(dir, 'd0/f3'));
  put(dir, 'd0/new', 'n');
  t.equal(await rescan(), 1, 'one is gone, one is new');
  chmodSync(join(dir, 'd0/f6'), 0o755);
  const { files } = await scan(dir);
  t.equal(files.find(({ path }) => path === 'd0/f6')?.mode, 493, 'a mode is seen');
});

t.test('a damaged index is rebuilt', async (t) => {
  const dir = folder({ a: '1', 'b/c': '2', 'b/d': '3' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const indexes = join(home, 'cache/cidermill/index');
  rmSync(indexes, { recursive: true, force: true });
  (await scan(dir)).saveIndex();
  const [name = ''] = readdirSync(indexes);
  const file = join(indexes, name);
  t.equal(statSync(file).mode & 0o777, 0o600);
  const good = readFileSync(file);
  t.equal((await scan(dir)).hashed, 0);
  const hashesOf = async () => (await scan(dir)).files.map(({ sha256 }) => sha256);
  const expected = await hashesOf();
  let wrong = 0;
  for (let at = 0; at < good.length; at++) {
    const damaged = Buffer.from(good);
    damaged[at] = damaged[at]! ^ 0x10;
    writeFileSync(file, damaged);
    const { hashed, files } = await scan(dir);
    if (hashed !== 3 || files.some(({ sha256 }, n) => sha256 !== expected[n])) wrong++;
    if (at % 7 === 0) {
      writeFileSync(file, good);
      truncateSync(file, at);
      if ((await scan(dir)).hashed !== 3) wrong++;
    }
  }
  t.equal(wrong, 0, `each of ${good.length} bytes`);
  const moved = `${dir}-moved`;
  renameSync(dir, moved);
  writeFileSync(file, good);
  t.equal((await scan(moved)).hashed, 3, 'another folder has an index of its own');
});

t.test('many files are hashed over several threads, to the same result', async (t) => {
  const dir = folder({});
  for (let n = 0; n < 1_300; n++) put(dir, `d${n % 40}/f${n}`, `${n}`.repeat(n % 50));
  const result = await scan(dir);
  t.equal(result.hashed, 1_300);
  const wrong = result.files.filter(
    ({ path, sha256 }) =>
      sha256 !==
      createHash('sha256')
        .update(readFileSync(join(dir, path)))
        .digest('hex'),
  );
  t.equal(wrong.length, 0);
});

t.test('files that come and go while the folder is scanned do no harm', async (t) => {
  const dir = folder({ stays: 's' });
  git(dir, 'init', '-q');
  let stop = false;
  const churn = (async () => {
    for (let n = 0; !stop; n++) {
      put(dir, `t${n % 5}`, `${n}`);
      if (n % 2 === 0) rmSync(join(dir, `t${(n + 3) % 5}`), { force: true });
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let n = 0; n < 15; n++) {
    const { files } = await scan(dir);
    t.ok(files.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256)));
    t.ok(files.some(({ path }) => path === 'stays'));
  }
  stop = true;
  await churn;
});
