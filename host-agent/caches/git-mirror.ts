// A bare copy of a repository, per account and host, shared by the account's Macs: `<cacheDir>/git/<hash of
// URL>.git`. Everything in it can be fetched again, so a damaged mirror is deleted. Work folders never refer to it.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import { namesIn } from '../system/names-in.js';
import { removeTree } from '../system/remove-tree.js';
import { credentialSettings } from './git-credentials.js';
import { type GitContext, git, runGit } from './git-process.js';
import type { GitRemote } from './git-remote.js';

/** With more packs than this the mirror is repacked, to keep object lookup fast. */
const MANY_PACKS = 20;
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
/** Its modification time is when the mirror was last used. */
export const LAST_USED = 'last-used';
/** Prefix for refs of the remote outside refs/, and for commits fetched by their id. */
const OTHER_REFS = 'refs/cidermill/';

export interface GitMirror {
  /** The bare repository. */
  path: string;
  /** Returns the refs among `names` that the remote has, in that order, with their object ids. */
  advertised(names: readonly string[]): Promise<{ name: string; id: string }[]>;
  /** Fetches one ref (or a full commit id) if its object is missing, and returns its commit. */
  fetch(name: string, id: string): Promise<string | null>;
  /** Fetches all branches and tags, and deletes those that no longer exist. */
  fetchAll(): Promise<void>;
  /**
   * Returns the full id of a commit id that may be abbreviated: null when it is missing, 'ambiguous' when several
   * match.
   */
  find(commit: string): Promise<string | 'ambiguous' | null>;
}

export function mirrorRoot(cacheDir: string): string {
  return join(cacheDir, 'git');
}

export function mirrorPath(cacheDir: string, url: string): string {
  return join(mirrorRoot(cacheDir), `${createHash('sha256').update(url).digest('hex').slice(0, 40)}.git`);
}

/** Returns the path of a mirror's lock, which is held for every write to it. */
export function lockPath(mirror: string): string {
  return mirror.replace(/\.git$/, '.owner');
}

/** Opens the mirror of a repository, or creates an empty one. The caller holds its lock. */
export async function openMirror(
  context: GitContext,
  cacheDir: string,
  remote: GitRemote,
  options: { token: string | null; say(line: string): void },
): Promise<GitMirror> {
  const path = mirrorPath(cacheDir, remote.url);
  if (!existsSync(join(path, 'HEAD'))) await createMirror(context, path);
  // Rewritten when it differs: a build that could write to it could make git run commands.
  const config = join(path, 'config');
  if (unless(['ENOENT'], () => readFileSync(config, 'utf8')) !== CONFIG) {
    writeDurably(config, CONFIG, { durable: false });
  }
  removeUnfinished(path);
  writeFileSync(join(path, LAST_USED), '');

  const local = { cwd: path, env: { GIT_DIR: path } };
  const network = { ...local, settings: credentialSettings(remote.origin, options.token) };
  const transfer = async (flags: readonly string[], refspecs: readonly string[]) => {
    const args = ['fetch', '--progress', '--force', '--no-write-fetch-head', ...flags, '--', remote.url, ...refspecs];
    await git(context, args, { ...network, onLine: createGitProgress(options.say) });
    if (listPacks(path).length > MANY_PACKS) await git(context, ['repack', '-q', '-d', '--geometric=2'], local);
  };

  const commitOf = async (name: string) => {
    const { code, stdout } = await runGit(context, ['rev-parse', '--quiet', '--verify', `${name}^{commit}`], local);
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
      const kept = name.startsWith('refs/') ? name : `${OTHER_REFS}${name}`;
      const here = await commitOf(id);
      if (here === null) await transfer([], [`+${name}:${kept}`]);
      else await git(context, ['update-ref', kept, id], local);
      // The fetched commit may be newer than the advertised one.
      return here ?? (await commitOf(kept));
    },

    fetchAll: () => transfer(['--prune'], ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']),

    async find(commit) {
      // Not only rev-parse: a branch may have such a name too.
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

/** Deletes a mirror. The caller holds its lock. */
export async function dropMirror(mirror: string, signal: AbortSignal): Promise<void> {
  const aside = `${mirror}-dropped-${randomUUID()}`;
  unless(['ENOENT'], () => renameSync(mirror, aside));
  await removeTree(aside, signal);
}

/** Returns the file names of a repository's packs. */
export function listPacks(repository: string): string[] {
  const names = namesIn(join(repository, 'objects/pack'));
  return names.filter((name) => name.endsWith('.pack'));
}

async function createMirror(context: GitContext, path: string): Promise<void> {
  const staged = `${path}-made-${randomUUID()}`;
  mkdirSync(staged, { recursive: true, mode: 0o700 });
  await git(context, ['init', '--quiet', '--bare', '--template=', staged], { cwd: staged });
  await removeTree(path, context.signal);
  renameSync(staged, path);
}

/** Deletes temporary packs and lock files of a killed git. Nobody else uses them while the mirror's lock is held. */
function removeUnfinished(path: string): void {
  const pack = join(path, 'objects/pack');
  for (const name of namesIn(pack)) {
    if (name.startsWith('tmp_')) rmSync(join(pack, name), { force: true });
  }
  const refs = unless(['ENOENT'], () => readdirSync(join(path, 'refs'), { recursive: true, encoding: 'utf8' })) ?? [];
  for (const name of refs) if (name.endsWith('.lock')) rmSync(join(path, 'refs', name), { force: true });
  rmSync(join(path, 'packed-refs.lock'), { force: true });
}

/**
 * Reduces git's progress output to a few lines of the build's log: the end of a transfer, and every quarter of a long
 * one.
 */
function createGitProgress(say: (line: string) => void): (line: string) => void {
  let said = 0;
  return (line) => {
    const [text, percent, total] = /^Receiving objects: +(\d+)% \(\d+\/(\d+)\)[^\r\n]{0,80}/.exec(line) ?? [];
    if (!text || !percent) return;
    const quarter = Math.floor(Number(percent) / 25);
    const done = line.endsWith('done.');
    const worthSaying = done || (Number(total) > LONG_TRANSFER && quarter > said && quarter < 4);
    said = Math.max(said, quarter);
    if (worthSaying) say(text);
  };
}

/** Objects. */
const LONG_TRANSFER = 20_000;
