// A bare copy of a repository, of one account on one host, shared by its Macs: `<cacheDir>/git/<hash of address>.git`.
// Everything in it can be fetched again, so one that is damaged is dropped. Work folders never point into it.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unless } from '../system/errno.js';
import { removeTree } from '../system/remove-tree.js';
import { writeAtomic } from '../system/write-atomic.js';
import { credentialSettings } from './git-credentials.js';
import { type GitContext, git, runGit } from './git-process.js';
import { createGitProgress } from './git-progress.js';
import type { GitRemote } from './git-remote.js';

/** More packs than this are put together, so that looking objects up stays quick. */
const MANY_PACKS = 20;
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
/** Its time says when the mirror was used last. */
export const LAST_USED = 'last-used';
/** Where a ref of the remote is kept that is not below refs/, and a commit fetched by its id. */
const ELSEWHERE = 'refs/cidermill/';

export interface GitMirror {
  /** The bare repository. */
  path: string;
  /** Refs of the remote among `names`, in that order, with what they point to. */
  advertised(names: readonly string[]): Promise<{ name: string; id: string }[]>;
  /** Fetches one ref (or a full commit id) if its object is not here, and returns the commit it comes to. */
  fetch(name: string, id: string): Promise<string | null>;
  /** Fetches all branches and tags, and forgets those that are gone. */
  fetchAll(): Promise<void>;
  /** The commit of that (perhaps short) name: null when it is not here, 'ambiguous' when there are several. */
  find(commit: string): Promise<string | 'ambiguous' | null>;
}

export function mirrorRoot(cacheDir: string): string {
  return join(cacheDir, 'git');
}

export function mirrorPath(cacheDir: string, url: string): string {
  return join(mirrorRoot(cacheDir), `${createHash('sha256').update(url).digest('hex').slice(0, 40)}.git`);
}

/** The lock of a mirror; held for everything that writes to it. */
export function lockPath(mirror: string): string {
  return mirror.replace(/\.git$/, '.lock');
}

/** Opens the mirror of a repository, making an empty one when there is none. Its lock is held. */
export async function openMirror(
  context: GitContext,
  cacheDir: string,
  remote: GitRemote,
  options: { token: string | null; say(line: string): void },
): Promise<GitMirror> {
  const path = mirrorPath(cacheDir, remote.url);
  if (!existsSync(join(path, 'HEAD'))) await createMirror(context, path);
  // Nobody else writes it; from a build that reached it, it could make git run programs.
  const config = join(path, 'config');
  if (unless(['ENOENT'], () => readFileSync(config, 'utf8')) !== CONFIG) {
    writeAtomic(config, CONFIG, { durable: false });
  }
  removeUnfinished(path);
  writeFileSync(join(path, LAST_USED), '');

  const local = { cwd: path, env: { GIT_DIR: path } };
  const network = { ...local, settings: credentialSettings(remote.origin, options.token) };
  const transfer = async (flags: readonly string[], refspecs: readonly string[]) => {
    const args = [
      'fetch',
      '--progress',
      '--force',
      '--no-write-fetch-head',
      ...flags,
      '--',
      remote.url,
      ...refspecs,
    ];
    await git(context, args, { ...network, onLine: createGitProgress(options.say) });
    if (listPacks(path).length > MANY_PACKS)
      await git(context, ['repack', '-q', '-d', '--geometric=2'], local);
  };

  const commitOf = async (name: string) => {
    const { code, stdout } = await runGit(
      context,
      ['rev-parse', '--quiet', '--verify', `${name}^{commit}`],
      local,
    );
    return code === 0 ? stdout.toString('latin1').trim() : null;
  };

  return {
    path,

    async advertised(names) {
      const answer = await git(context, ['ls-remote', '--', remote.url, ...names], network);
      const ids = new Map<string, string>();
      for (const line of answer.toString('utf8').split('\n')) {
        const [id, name] = line.split('\t');
        if (id && name) ids.set(name, id);
      }
      return names.filter((name) => ids.has(name)).map((name) => ({ name, id: ids.get(name) ?? '' }));
    },

    async fetch(name, id) {
      const kept = name.startsWith('refs/') ? name : `${ELSEWHERE}${name}`;
      const here = await commitOf(id);
      if (here === null) await transfer([], [`+${name}:${kept}`]);
      else await git(context, ['update-ref', kept, id], local);
      // What was fetched may be newer than what was advertised.
      return here ?? (await commitOf(kept));
    },

    fetchAll: () => transfer(['--prune'], ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']),

    async find(commit) {
      // Not rev-parse alone: a branch may have such a name too.
      const listed = await runGit(context, ['rev-parse', `--disambiguate=${commit}`], local);
      const commits: string[] = [];
      for (const id of listed.stdout.toString('latin1').split('\n')) {
        if (id === '') continue;
        const { stdout } = await runGit(context, ['cat-file', '-t', id], local);
        if (stdout.toString('latin1').trim() === 'commit') commits.push(id);
      }
      return commits.length > 1 ? 'ambiguous' : (commits[0] ?? null);
    },
  };
}

/** Removes a mirror. Its lock is held. */
export async function dropMirror(mirror: string, signal: AbortSignal): Promise<void> {
  const aside = `${mirror}-dropped-${randomUUID()}`;
  unless(['ENOENT'], () => renameSync(mirror, aside));
  await removeTree(aside, signal);
}

/** File names of a repository's packs. */
export function listPacks(repository: string): string[] {
  const names = unless(['ENOENT'], () => readdirSync(join(repository, 'objects/pack'))) ?? [];
  return names.filter((name) => name.endsWith('.pack'));
}

async function createMirror(context: GitContext, path: string): Promise<void> {
  const staged = `${path}-made-${randomUUID()}`;
  mkdirSync(staged, { recursive: true, mode: 0o700 });
  await git(context, ['init', '--quiet', '--bare', '--template=', staged], { cwd: staged });
  await removeTree(path, context.signal);
  renameSync(staged, path);
}

/** What a killed git left: its transfers and its locks. Nobody else uses them while the mirror's lock is held. */
function removeUnfinished(path: string): void {
  const pack = join(path, 'objects/pack');
  for (const name of unless(['ENOENT'], () => readdirSync(pack)) ?? []) {
    if (name.startsWith('tmp_')) rmSync(join(pack, name), { force: true });
  }
  const refs =
    unless(['ENOENT'], () => readdirSync(join(path, 'refs'), { recursive: true, encoding: 'utf8' })) ?? [];
  for (const name of refs) if (name.endsWith('.lock')) rmSync(join(path, 'refs', name), { force: true });
  rmSync(join(path, 'packed-refs.lock'), { force: true });
}
