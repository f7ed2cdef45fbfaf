// Checks out a repository at a branch, tag, commit or pull request, with its submodules.

import { existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CommitAbout } from '../../../shared/build.js';
import { countOf } from '../../../shared/count.js';
import { buildWarning } from '../../../shared/messages/build-warnings.js';
import { hostFailure } from '../../../shared/messages/host-failures.js';
import type { BuildSource } from '../../../shared/protocol/index.js';
import { gitErrorKind, gitFailure, isMirrorDamage } from '../../caches/git-failure.js';
import { dropMirror, type GitMirror, lockPath, mirrorPath, mirrorRoot, openMirror } from '../../caches/git-mirror.js';
import { trimMirrors } from '../../caches/git-mirror-trim.js';
import { type GitContext, GitError, runGit } from '../../caches/git-process.js';
import { checkRemote, type GitRemote, type GitTarget, gitTargetOf } from '../../caches/git-remote.js';
import { waitToRetry } from '../../caches/retry.js';
import type { SourceResult, SourceStep } from '../../caches/source-step.js';
import { BuildStepError } from '../../contract/build-step-error.js';
import { type LockOptions, withLock } from '../../system/lock.js';
import { checkOut, type GitPlace } from './git-checkout.js';
import { chooseCommit } from './git-choose.js';
import { writeGitFolder } from './git-folder.js';
import { listSubmodules, type Submodule, submodulePlace } from './git-submodules.js';
import { createWorkFolders } from './work-folders.js';

type GitSource = Extract<BuildSource, { kind: 'git' }>;

export interface GitInput {
  token: string | null;
  /** See MaterializeInput. */
  copied: boolean;
  env: Readonly<Record<string, string>>;
  protocols: readonly string[];
}

/** Shared by a repository and its submodules. */
interface GitRun {
  step: SourceStep;
  context: GitContext;
  token: string | null;
  copied: boolean;
  lock: LockOptions;
  submodules: number;
}

/** A repository to be checked out at a place. */
interface Repository {
  remote: GitRemote;
  target: GitTarget;
  place: GitPlace;
  depth: number;
}

/**
 * Makes the work folder equal to the source. Unchanged files keep their modification times, and files that builds
 * created stay. The folder's .git is self-contained.
 */
export async function checkOutGit(step: SourceStep, source: GitSource, input: GitInput): Promise<SourceResult> {
  const { signal, clock, limits } = step;
  mkdirSync(mirrorRoot(step.cacheDir), { recursive: true, mode: 0o700 });
  const run: GitRun = {
    step,
    context: { env: input.env, protocols: input.protocols, signal, clock, limits },
    token: input.token,
    copied: input.copied,
    lock: {
      clock,
      signal,
      onWait: () => step.say('Another build is fetching the same repository; waiting for it.'),
    },
    submodules: 0,
  };
  const result = await checkOutRepository(run, {
    remote: checkRemote(source.url, input.protocols),
    target: gitTargetOf(source),
    place: step,
    depth: 0,
  });
  await trimMirrors(step.cacheDir, limits.gitMirrorBytes, run.lock);
  step.say(`${result.commit} checked out: ${countOf(result.changed, 'file')} changed, ${result.removed} removed`);
  return result;
}

async function checkOutRepository(run: GitRun, repository: Repository): Promise<SourceResult> {
  const { step, lock, token } = run;
  const { url } = repository.remote;
  const mirror = mirrorPath(step.cacheDir, url);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await checkOutFromMirror(run, repository);
    } catch (error) {
      if (!isMirrorDamage(error) || attempt > 0) throw gitFailure(error, url, token !== null);
      step.say('The cached copy of the repository is damaged; fetching it again.');
      await withLock(lockPath(mirror), lock, () => dropMirror(mirror, step.signal));
    }
  }
}

async function checkOutFromMirror(run: GitRun, repository: Repository): Promise<SourceResult> {
  const { step, context, token } = run;
  const { remote, place } = repository;
  const path = mirrorPath(step.cacheDir, remote.url);
  const { mirror, commit } = await withLock(lockPath(path), run.lock, () => fetchTarget(run, repository));
  const done = await checkOut(context, mirror.path, commit, place, step.say);
  const { inside, elsewhere } = existsSync(join(place.workDir, '.gitmodules'))
    ? await listSubmodules(context, mirror.path, commit, done.index, remote)
    : { inside: [], elsewhere: [] };
  for (const { path, url } of elsewhere) {
    step.warn(
      url === null
        ? buildWarning('submodule_without_address', { path })
        : buildWarning('submodule_elsewhere', { path, url }),
    );
  }
  const about = repository.depth === 0 ? await aboutCommit(context, mirror.path, commit) : null;
  const result: SourceResult = { commit, about, changed: done.changed, removed: done.removed, bytes: done.bytes };
  for (const submodule of inside) add(result, await checkOutSubmodule(run, repository, submodule));
  await withLock(lockPath(path), run.lock, () =>
    writeGitFolder(context, {
      place,
      mirror: mirror.path,
      remote,
      commit,
      index: done.index,
      submodules: inside,
      token,
      copied: run.copied,
    }),
  );
  await warnAboutLfs(run, mirror, commit, place);
  return result;
}

/** Returns title and author of a commit, or null if git cannot read them: a build does not fail for it. */
async function aboutCommit(context: GitContext, mirror: string, commit: string): Promise<CommitAbout | null> {
  const { code, stdout } = await runGit(
    context,
    ['log', '-1', '--no-show-signature', '--encoding=UTF-8', '--format=%an%x00%s', commit, '--'],
    { cwd: mirror, env: { GIT_DIR: mirror } },
  );
  if (code !== 0) return null;
  // Both are of any length.
  const [author = '', title = ''] = stdout.subarray(0, LONGEST_ABOUT).toString('utf8').trimEnd().split('\0');
  return { title, author };
}

const LONGEST_ABOUT = 4096;

/** Fetches the target, with retries when the network fails. */
async function fetchTarget(run: GitRun, repository: Repository): Promise<{ mirror: GitMirror; commit: string }> {
  const { step, context, token } = run;
  const { remote, target } = repository;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const mirror = await openMirror(context, step.cacheDir, remote, { token, say: step.say });
      return { mirror, commit: await chooseCommit(mirror, target) };
    } catch (error) {
      const network = error instanceof GitError && gitErrorKind(error) === 'network';
      if (!network || attempt + 1 >= step.limits.gitAttempts) throw error;
      if (attempt === 0) step.say('The code host failed; trying again.');
      await waitToRetry(step, attempt);
    }
  }
}

async function checkOutSubmodule(run: GitRun, parent: Repository, submodule: Submodule): Promise<SourceResult> {
  const { limits, signal } = run.step;
  run.submodules += 1;
  if (run.submodules > limits.submodules || parent.depth >= limits.submoduleDepth) {
    throw new BuildStepError(
      'source',
      'clone_failed',
      'customer',
      hostFailure('too_many_submodules', {
        submodules: limits.submodules,
        levels: limits.submoduleDepth,
      }),
    );
  }
  await createWorkFolders(parent.place.workDir, signal).make(submodule.path);
  return checkOutRepository(run, {
    remote: checkRemote(submodule.url, run.context.protocols),
    target: { kind: 'commit', commit: submodule.commit, refs: [] },
    place: submodulePlace(parent.place, submodule.path),
    depth: parent.depth + 1,
  });
}

function add(result: SourceResult, more: SourceResult): void {
  result.changed += more.changed;
  result.removed += more.removed;
  result.bytes += more.bytes;
}

/** Warns about Git LFS pointers. Downloading them needs git-lfs, which the build can run itself. */
async function warnAboutLfs(
  { context, step }: GitRun,
  mirror: GitMirror,
  commit: string,
  place: GitPlace,
): Promise<void> {
  const options = { cwd: mirror.path, env: { GIT_DIR: mirror.path } };
  const inAnyFolder = ['--', '.gitattributes', ':(glob)**/.gitattributes'];
  const found = await runGit(context, ['grep', '-q', '-F', 'filter=lfs', commit, ...inAnyFolder], options);
  if (found.code !== 0) return;
  const { code } = await runGit(context, ['lfs', 'version'], options);
  const path = relative(step.workDir, place.workDir);
  if (path === '') step.warn(buildWarning(code === 0 ? 'lfs_pull' : 'lfs_missing'));
  else step.warn(buildWarning(code === 0 ? 'submodule_lfs_pull' : 'submodule_lfs_missing', { path }));
}
