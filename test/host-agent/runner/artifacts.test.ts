// Collecting the artifacts of a build: files, bundles, links, and what must never leave the host.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { type CollectOptions, collectArtifacts } from '../../../host-agent/runner/artifacts.js';
import { badArtifactName } from '../../../shared/paths/artifact-name.js';
import { sha256 } from '../../harness/sha256.js';
import { openRig, tempFolder } from './rig.js';

interface Left {
  [name: string]: string | { link: string } | { mode: number; text: string };
}

/** Creates the entries in a folder and collects it. */
async function collect(t: Test, left: Left, more: Partial<CollectOptions> = {}) {
  const folder = tempFolder(t);
  const from = path.join(folder, 'artifacts');
  const to = path.join(folder, 'kept');
  mkdirSync(from);
  for (const [name, what] of Object.entries(left)) {
    const file = path.join(from, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof what === 'string') writeFileSync(file, what);
    else if ('link' in what) symlinkSync(what.link, file);
    else writeFileSync(file, what.text, { mode: what.mode });
  }
  const collected = await collectArtifacts({
    from,
    to,
    limits: { max_files: 1000, max_bytes: 1_000_000, max_bundle_entries: 1000 },
    maskText: (text) => text.replaceAll('hunter2', '***'),
    scanFile: async (file) => (readFileSync(file, 'utf8').includes('hunter2') ? ['TOKEN'] : []),
    scanBytes: (content) => (content.includes('hunter2') ? ['TOKEN'] : []),
    signal: new AbortController().signal,
    ...more,
  });
  const names = collected.artifacts.map(({ name }) => name);
  const warnings = collected.warnings.map(({ text }) => text);
  return { ...collected, warnings, folder, from, to, names, kept: (n: number) => path.join(to, String(n)) };
}

t.test('a link or a file in place of the artifacts folder is said as such', async (t) => {
  const rig = await openRig(t);
  for (const script of ['ln -s /etc', 'echo x >']) {
    const { result } = await rig.run(`rm -r "$CIDERMILL_ARTIFACTS"; ${script} "$CIDERMILL_ARTIFACTS"; exit 0`);
    t.match(result, { outcome: 'exited', exit_code: 0, artifacts: [] });
    t.same(result.warnings, [
      'No artifacts were kept: the build replaced the folder $CIDERMILL_ARTIFACTS by a link or a file. Write files into the folder.',
    ]);
  }
});

t.test('version control is left out in every spelling, and the build goes on', async (t) => {
  const spellings = [
    '.git',
    '.GIT',
    'sub/.Git',
    'git~1',
    'GIT~1',
    '.git.',
    '.git . .',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '.\u202dgit',
    '\ufeff.git',
    'a\\.git',
    '.hg',
    '.jj',
    '.svn',
    '_darcs',
    'hg~1',
  ];
  for (const spelling of spellings) {
    const found = await collect(t, { [`${spelling}/config`]: '[core]', 'app.ipa': 'app' });
    t.same(found.names, ['app.ipa'], JSON.stringify(spelling));
    t.match(found.warnings, [/^Left out of the artifacts: .*version control/], spelling);
    t.match(badArtifactName(`${spelling}/config`), /version control/, 'nor does anybody else accept it');
  }
  const pointer = await collect(t, { '.git': 'gitdir: ../evil', 'x/.git': { link: '../.git' } });
  t.same(pointer.names, [], 'a file or a link of that name neither');
  const fine = ['.gitignore', '.gitmodules', 'x.git/config', 'git', '.github/x.yml', 'agit~1', '.envrc', '.npmrc'];
  const kept = await collect(t, Object.fromEntries(fine.map((name) => [name, 'x'])));
  t.same(kept.names, [...fine].sort(), 'other names are as good as any');
  t.same(kept.warnings, []);

  const rig = await openRig(t);
  const { result } = await rig.run(
    'cd "$CIDERMILL_ARTIFACTS" && git init -q . && git config core.fsmonitor /tmp/evil; echo ok >report',
  );
  t.match(result, { outcome: 'exited', exit_code: 0 });
  t.same(
    result.artifacts.map(({ name }) => name),
    ['report'],
  );
  t.match(result.warnings, [/^Left out of the artifacts: \.git, because/]);
});

t.test('a link to a file inside the folder is kept as that file; others are left out', async (t) => {
  const found = await collect(t, {
    'app-1.2.ipa': 'the app',
    'latest.ipa': { link: 'app-1.2.ipa' },
    'deep/by/way': { link: '../../latest.ipa' },
    'into.app/bin': 'binary',
    bin: { link: 'into.app/bin' },
    outside: { link: '/etc/hostname' },
    above: { link: '../../..' },
    dangling: { link: 'nowhere' },
    loop: { link: 'loop' },
    folder: { link: 'deep' },
    '.git/config': '[core]',
    conf: { link: '.git/config' },
  });
  t.same(found.names, ['app-1.2.ipa', 'bin', 'deep/by/way', 'into.app.tar.gz', 'latest.ipa']);
  for (const [n, text] of [
    [0, 'the app'],
    [1, 'binary'],
    [2, 'the app'],
    [4, 'the app'],
  ] as const) {
    t.ok(lstatSync(found.kept(n)).isFile());
    t.equal(readFileSync(found.kept(n), 'utf8'), text);
    t.equal(found.artifacts[n]?.sha256, sha256(text));
  }
  const told = found.warnings.join('\n');
  t.match(told, /and 3 more, because they are symbolic links/);
  t.equal(found.warnings.length, 2);
});

t.test('a bundle is one archive with its links and modes', async (t) => {
  const long = `${'é'.repeat(90)}/${'x'.repeat(120)}`;
  const found = await collect(t, {
    'out/My.app/Contents/MacOS/My': { mode: 0o755, text: '#!/bin/sh' },
    'out/My.app/Contents/Info.plist': { mode: 0o600, text: '<plist/>' },
    [`out/My.app/${long}`]: 'deep',
    'out/My.app/Frameworks/F.framework/Versions/A/F': 'lib',
    'out/My.app/Frameworks/F.framework/Versions/Current': { link: 'A' },
    'out/My.app/Frameworks/F.framework/F': { link: 'Versions/Current/F' },
    'out/My.app/leaves': { link: '../../secret' },
    'out/My.app/sibling': { link: '../.git/config' },
    'out/My.app/absolute': { link: '/etc/passwd' },
    'out/My.app/.git/config': '[core]',
    'out/My.app/hunter2.txt': 'hunter2',
    'R.XCRESULT/data': 'x',
    '.app/plain': 'a hidden folder is no bundle',
    'file.bundle': 'a file of that name is no bundle',
  });
  t.same(found.names, ['.app/plain', 'R.XCRESULT.tar.gz', 'file.bundle', 'out/My.app.tar.gz']);
  t.same(found.artifacts[3], {
    name: 'out/My.app.tar.gz',
    bytes: statSync(found.kept(3)).size,
    sha256: sha256(readFileSync(found.kept(3))),
  });
  const target = tempFolder(t);
  execFileSync('tar', ['-xzf', found.kept(3), '-C', target]);
  const at = (name: string) => path.join(target, 'My.app', name);
  t.equal(readFileSync(at('Contents/MacOS/My'), 'utf8'), '#!/bin/sh');
  t.ok((statSync(at('Contents/MacOS/My')).mode & 0o111) !== 0);
  t.equal(statSync(at('Contents/Info.plist')).mode & 0o111, 0);
  t.equal(readFileSync(at(long), 'utf8'), 'deep');
  t.equal(readlinkSync(at('Frameworks/F.framework/F')), 'Versions/Current/F');
  t.equal(readFileSync(at('Frameworks/F.framework/F'), 'utf8'), 'lib', 'links lead where they led');
  for (const gone of ['leaves', 'sibling', 'absolute', '.git', 'hunter2.txt']) {
    t.throws(() => lstatSync(at(gone)), { code: 'ENOENT' }, gone);
  }
  t.ok(existsSync(at('***.txt')), 'names in an archive are masked too');
  t.same(found.warnings, [
    'The artifact out/My.app.tar.gz contains the value of the secret TOKEN.',
    'Left out of the artifacts: out/My.app/.git, because artifacts must not contain files of version control (.git and the like).',
    'Left out of the artifacts: out/My.app/absolute, out/My.app/leaves, out/My.app/sibling, because they are symbolic links that point out of their bundle.',
  ]);
});

t.test('bundles count for the limits, and warnings stay few', async (t) => {
  const bundle = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`b.app/${i}`, String(i)]));
  const limits = { max_files: 1000, max_bytes: 1_000_000, max_bundle_entries: 1000 };
  for (const small of [{ max_bundle_entries: 20 }, { max_bytes: 100 }, { max_files: 1 }]) {
    const found = await collect(t, { ...bundle, a: 'x' }, { limits: { ...limits, ...small } });
    t.same(found.names, ['a'], JSON.stringify(small));
    t.match(found.warnings, [/^1 of 2 artifacts was left out/]);
    t.notOk(existsSync(found.kept(1)), 'nothing of it stays');
  }
  const leaks = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 'hunter2']));
  const found = await collect(t, leaks);
  t.equal(found.names.length, 300);
  t.equal(found.warnings.length, 21);
  t.equal(found.warnings.at(-1), '280 more artifacts contain values of secrets.');
});

t.test("names in a bundle that a Mac's file system cannot distinguish", async (t) => {
  const found = await collect(t, { 'x.app/Read': '1', 'x.app/read': '2' });
  const listing = execFileSync('tar', ['-tzf', found.kept(0)], { encoding: 'utf8' });
  t.same(listing.split('\n').sort(), ['', 'x.app/', 'x.app/Read']);
  t.match(found.warnings, [/x\.app\/read, because their names are too long, or a Mac cannot distinguish them/]);
});

t.test('unreadable files are collected too', async (t) => {
  const folder = tempFolder(t);
  const from = path.join(folder, 'artifacts');
  mkdirSync(path.join(from, 'x.app/closed'), { recursive: true });
  writeFileSync(path.join(from, 'x.app/closed/file'), 'x', { mode: 0o000 });
  chmodSync(path.join(from, 'x.app/closed'), 0o000);
  const { artifacts, warnings } = await collectArtifacts({
    from,
    to: path.join(folder, 'kept'),
    limits: { max_files: 10, max_bytes: 10_000, max_bundle_entries: 10 },
    maskText: (text) => text,
    scanFile: async () => [],
    scanBytes: () => [],
    signal: new AbortController().signal,
  });
  t.match(artifacts, [{ name: 'x.app.tar.gz' }]);
  t.same(warnings, []);
});

t.test('a stopped build keeps what had been collected', async (t) => {
  const left = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${10 + i}`, `content ${i}`]));
  const stop = new AbortController();
  let scanned = 0;
  const found = await collect(t, left, {
    signal: stop.signal,
    scanBytes() {
      if (++scanned === 20) stop.abort();
      return [];
    },
  });
  t.equal(found.names.length, 20);
  t.match(found.warnings, ['30 of 50 artifacts were not collected: the build was stopped.']);
  const before = await collect(t, left, { signal: AbortSignal.abort() });
  t.same(before.names, []);
});

t.test('a cancel or timeout during collection ends the build as such', async (t) => {
  const rig = await openRig(t);
  for (const reason of ['cancelled_by_user', 'timeout'] as const) {
    const { result } = await rig.run(
      'cd "$CIDERMILL_ARTIFACTS"; for ((i = 0; i < 200; i++)); do echo $i >$i; done; exit 0',
      {
        limits: { stoppedArtifactsMs: 0 },
        whileCollecting: (halt) => halt.request(reason),
      },
    );
    t.match(result, { outcome: 'stopped', stop_reason: reason, exit_code: null, step: 'artifacts' });
    t.ok(result.artifacts.length < 200);
    t.match(result.warnings, [/artifacts were not collected: the build was stopped/]);
  }
  const whole = await rig.run('echo 1 >"$CIDERMILL_ARTIFACTS/a"', {
    whileCollecting: (halt) => halt.request('cancelled_by_user'),
  });
  t.match(whole.result, { outcome: 'stopped', artifacts: [{ name: 'a' }], warnings: [] }, 'within the time given');
});

t.test('whether a file is executable by its owner is kept, also of a link to it', async (t) => {
  const { artifacts } = await collect(t, {
    'a-tool': { mode: 0o755, text: '#!/bin/sh' },
    'b-own': { mode: 0o700, text: 'x' },
    'c-others': { mode: 0o655, text: 'x' },
    'd-plain': { mode: 0o644, text: 'x' },
    'e-link': { link: 'a-tool' },
  });
  t.same(
    artifacts.map(({ name, executable }) => `${name} ${executable}`),
    ['a-tool true', 'b-own true', 'c-others undefined', 'd-plain undefined', 'e-link true'],
  );
});
