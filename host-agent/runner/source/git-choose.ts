// Resolves the request's target to one commit in the mirror, fetching as little as possible.
import { hostFailure } from '../../../shared/messages/host-failures.js';
import { commitNotFound, gitErrorKind } from '../../caches/git-failure.js';
import type { GitMirror } from '../../caches/git-mirror.js';
import { GitError } from '../../caches/git-process.js';
import { type GitTarget, isFullCommit } from '../../caches/git-remote.js';

/**
 * Returns the full commit id; the commit and its history are in the mirror then.
 *
 * @throws BuildStepError (commit_not_found), GitError
 */
export async function chooseCommit(mirror: GitMirror, target: GitTarget): Promise<string> {
  return target.kind === 'commit' ? byCommit(mirror, target.commit, target.refs) : byRef(mirror, target);
}

async function byRef(mirror: GitMirror, target: Extract<GitTarget, { kind: 'ref' }>): Promise<string> {
  const [found] = await mirror.advertised(target.refs);
  if (found) {
    const commit = await mirror.fetch(found.name, found.id);
    if (commit === null) throw commitNotFound(hostFailure('not_a_commit', { ref: found.name }));
    return commit;
  }
  // A commit id given as a ref.
  const bare = target.refs[0]?.replace(/^refs\/heads\//, '') ?? '';
  if (isFullCommit(bare)) return byCommit(mirror, bare, []);
  throw commitNotFound(target.missing);
}

async function byCommit(mirror: GitMirror, commit: string, refs: readonly string[]): Promise<string> {
  const here = await findOne(mirror, commit);
  if (here) return here;
  if (isFullCommit(commit) && (await fetchAlone(mirror, commit))) return commit;
  await mirror.fetchAll();
  for (const { name, id } of refs.length > 0 ? await mirror.advertised(refs) : []) await mirror.fetch(name, id);
  const found = await findOne(mirror, commit);
  if (!found) throw commitNotFound(hostFailure('no_commit', { commit }));
  return found;
}

async function findOne(mirror: GitMirror, commit: string): Promise<string | null> {
  const found = await mirror.find(commit);
  if (found !== 'ambiguous') return found;
  throw commitNotFound(hostFailure('ambiguous_commit', { commit }));
}

/** Fetches a single commit by its id. Most servers allow that; returns false when this one does not. */
async function fetchAlone(mirror: GitMirror, commit: string): Promise<boolean> {
  try {
    return (await mirror.fetch(commit, commit)) === commit;
  } catch (error) {
    if (error instanceof GitError && ['ref_missing', 'other'].includes(gitErrorKind(error))) return false;
    throw error;
  }
}
