// Which project a folder is: its work folder on a Mac.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { remoteParts } from '../../client/upload/git-remote.js';
import { PROJECT_NAME, projectOf } from '../../client/upload/project-name.js';
import { runCli } from './run-cli.js';
import { setUp } from './scripted-place.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'cidermill-projects-')));
t.teardown(() => rmSync(home, { recursive: true, force: true }));
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
const withoutGit = { ...env, PATH: join(home, 'nowhere') };

function git(dir: string, ...args: string[]): void {
  const settings = ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...settings, ...args], { cwd: dir, env, stdio: 'ignore' });
}

function folder(...parts: string[]): string {
  const dir = join(home, ...parts);
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** A repository with a commit, and remotes by name. */
function repository(path: string, remotes: Record<string, string> = {}): string {
  const dir = folder(path);
  git(dir, 'init', '-q');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'first');
  for (const [name, url] of Object.entries(remotes)) git(dir, 'remote', 'add', name, url);
  return dir;
}

t.test('folders without a remote are distinguished by their path', async (t) => {
  const [one, other] = [folder('client-a/ios'), folder('client-b/ios')];
  const name = await projectOf(one, env);
  t.match(name, /^ios-[0-9a-f]{10}$/);
  t.not(name, await projectOf(other, env));
  t.equal(name, await projectOf(one, env), 'the same tomorrow');
  t.equal(name, await projectOf(one, withoutGit), 'also without git');
  symlinkSync(one, join(home, 'link'));
  t.equal(name, await projectOf(join(home, 'link'), env), 'through a symbolic link');
  t.match(await projectOf('/', env), /^project-[0-9a-f]{10}$/);
  t.match(await projectOf(folder('é 한글 x'), env), /^e-x-[0-9a-f]{10}$/);
  const long = await projectOf(folder('x'.repeat(200)), env);
  t.match(long, PROJECT_NAME);
  t.equal(long.length, 64);

  git(one, 'init', '-q');
  t.equal(name, await projectOf(one, env), 'a repository without a remote');
  for (const url of ['../origin.git', home, `file://${home}`]) {
    git(one, 'config', 'remote.origin.url', url);
    t.equal(name, await projectOf(one, env), `${url} means something else on every machine`);
  }
});

t.test('a repository with a remote has the same project wherever it is cloned', async (t) => {
  const one = repository('a/ios', { origin: 'https://me:secret@Example.com/acme/ios.git' });
  const name = await projectOf(one, env);
  t.match(name, /^acme-ios-[0-9a-f]{10}$/);
  const other = repository('b/renamed', {
    origin: 'git@example.com:acme/ios',
    fork: 'git@example.com:me/ios',
  });
  t.equal(await projectOf(other, env), name, 'whatever the scheme, the credentials and the folder');
  t.equal(await projectOf(other, { ...env, GIT_DIR: join(home, 'client-a/ios/.git') }), name, 'in a hook of another');
  git(one, 'worktree', 'add', '-q', join(home, 'tree'));
  t.equal(await projectOf(join(home, 'tree'), env), name, 'a worktree');
  git(one, 'remote', 'set-url', 'origin', 'https://me:rotated@example.com/acme/ios.git');
  t.equal(await projectOf(one, env), name, 'a rotated token');
  renameSync(other, join(home, 'moved'));
  t.equal(await projectOf(join(home, 'moved'), env), name, 'a clone that was moved');

  const apps = [folder('a/ios/apps/one'), folder('a/ios/apps/two'), folder('a/ios/tools/one')];
  const names = await Promise.all(apps.map((dir) => projectOf(dir, env)));
  t.equal(new Set([name, ...names]).size, 4, 'each folder in a repository is a project');
  t.match(names[0], /^acme-ios-one-/);
  t.not(await projectOf(repository('c', { origin: 'git@example.com:other/ios' }), env), name);
  const upstream = { zeta: 'git@example.com:z/z', upstream: 'git@example.com:acme/ios' };
  t.equal(await projectOf(repository('d', upstream), env), name, 'without origin the first by name');
  t.not(await projectOf(one, withoutGit), name, 'without git only its place is known');

  const parent = repository('parent', { origin: 'git@example.com:acme/parent' });
  const source = repository('source');
  git(parent, 'submodule', 'add', '-q', source, 'vendored');
  git(join(parent, 'vendored'), 'remote', 'set-url', 'origin', 'git@example.com:acme/ios');
  t.equal(await projectOf(join(parent, 'vendored'), env), name, 'a submodule is its own repository');
});

const REMOTES: Record<string, string | null> = {
  'https://github.com/acme/ios.git': 'github.com/acme/ios',
  'https://token@github.com/acme/ios/': 'github.com/acme/ios',
  'https://user:pa%40ss@GitHub.com:443/acme/ios?x=token#y': 'github.com/acme/ios',
  'https://github.com:8443/acme/ios': 'github.com:8443/acme/ios',
  'ssh://git@github.com:22/acme/ios.git': 'github.com/acme/ios',
  'ssh://git@github.com:2222/acme/ios.git': 'github.com:2222/acme/ios',
  'git+ssh://git@github.com/acme/ios': 'github.com/acme/ios',
  'git://github.com:9418/acme/ios': 'github.com/acme/ios',
  'git@github.com:acme/ios.git': 'github.com/acme/ios',
  'github.com:/acme/ios.git': 'github.com/acme/ios',
  'git@[::1]:acme/ios': '[::1]/acme/ios',
  'user:token@github.com:acme/ios': null,
  'https://[broken': null,
  'https://github.com/': null,
  'file:///srv/acme/ios.git': null,
  '/srv/acme/ios.git': null,
  '../a:b/ios.git': null,
  'ext::sh -c thing': null,
  'codecommit::eu-west-1://ios': null,
  '': null,
};

t.test('what a remote says, without credentials', async (t) => {
  for (const [url, wanted] of Object.entries(REMOTES)) {
    t.equal(remoteParts(url)?.join('/') ?? null, wanted, url);
  }
});

t.test('the command line sends it; --project sets another', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  const projects = () => [...service.uploads.values()].map(({ project }) => project);
  const folders = ['client-a/ios', 'client-b/ios'].map((name) => join(place.root, name));
  for (const dir of folders) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'a.txt'), dir);
    for (const command of [['build', '--script', 'make'], ['upload']]) {
      t.equal((await runCli(place, [...command, '--dir', dir])).code, 0);
    }
  }
  const [built, uploaded, otherBuilt, otherUploaded] = projects();
  t.equal(built, uploaded);
  t.equal(otherBuilt, otherUploaded);
  t.not(built, otherBuilt, 'two folders of the same last name do not share a work folder');

  for (const command of [['build', '--script', 'make'], ['upload']]) {
    t.equal((await runCli(place, [...command, '--project', 'My.app_1-x'])).code, 0);
    t.equal(projects().at(-1), 'My.app_1-x');
    for (const bad of ['', 'a/b', 'x'.repeat(65), 'é']) {
      t.match(await runCli(place, [...command, '--project', bad]), { code: 64, stderr: /1 to 64 letters/ });
    }
  }
  const repository = ['build', '--script', 'make', '--repo', 'acme/ios', '--project', 'x'];
  t.match(await runCli(place, repository), { code: 64, stderr: /--project is only for folders/ });
});
