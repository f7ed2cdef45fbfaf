// The state and description that are posted for a commit.

import { cleanText } from '../../../shared/clean-text.js';
import type { Build } from '../../builds/domain/build.js';
import type { CommitState } from '../../builds/domain/commit-state.js';
import type { BuildEventType } from '../../builds/domain/event.js';
import type { CodeHosts } from '../../builds/domain/source.js';

/** The context under which our statuses appear beside those of others. */
export const STATUS_CONTEXT = 'cidermill';
/** The shortest limit among code hosts, in characters. */
const LONGEST_DESCRIPTION = 140;
const FULL_COMMIT = 40;

/**
 * Returns the commit state that an event leads to, or null for no change. A platform failure is no verdict on the
 * commit.
 */
export function commitStateAfter(type: BuildEventType, build: Pick<Build, 'failure'>): CommitState | null {
  switch (type) {
    case 'build.queued':
      return 'pending';
    case 'build.succeeded':
      return 'success';
    case 'build.failed':
      return build.failure?.fault === 'platform' ? 'error' : 'failure';
    case 'build.cancelled':
    case 'build.expired':
      return 'error';
    default:
      return null;
  }
}

/**
 * At most 140 characters: the name of the Mac, and what became of the build.
 *
 * @param mac the name of the Mac that it runs or ran on; null: none yet
 */
export function describeState(
  state: CommitState,
  build: Pick<Build, 'endReason' | 'failure' | 'exitCode'>,
  mac: string | null,
): string {
  const text = {
    pending: 'The build is queued or running.',
    success: 'The build succeeded.',
    failure: build.failure?.summary ?? 'The build failed.',
    error:
      build.failure?.summary ?? `The build did not finish: ${(build.endReason ?? 'unknown').replaceAll('_', ' ')}.`,
  }[state];
  return cleanText(mac === null ? text : `${mac}: ${text}`, LONGEST_DESCRIPTION);
}

/**
 * Returns the full commit to post a status for: the one that was checked out, or before that the requested one. Null
 * while no 40-digit commit is known.
 */
export function statusCommit(build: Pick<Build, 'commit' | 'commitSha'>): string | null {
  const commit = build.commitSha ?? build.commit;
  return commit?.length === FULL_COMMIT ? commit : null;
}

/**
 * Returns the path of the build's repository on the configured code host (`owner/name`), or null when no status can
 * be posted. The token is for that host alone, so other sources get none.
 */
export function statusRepository(
  build: Pick<Build, 'repo' | 'repoUrl' | 'commit' | 'commitSha'>,
  hosts: Pick<CodeHosts, 'default'>,
): string | null {
  if (statusCommit(build) === null) return null;
  if (build.repo !== null) return build.repo;
  if (build.repoUrl === null) return null;
  const url = new URL(build.repoUrl);
  if (url.origin !== hosts.default) return null;
  return url.pathname.replace(/^\/|\/$/g, '').replace(/\.git$/, '');
}
