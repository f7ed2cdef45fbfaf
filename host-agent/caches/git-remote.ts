// Validates the URL of a repository and the refs to check out. Both come from a request, so nothing may pass that git
// could take for an option, another transport, or a pattern.
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { Message } from '../../shared/messages/message.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { commitNotFound } from './git-failure.js';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
const BARE_COMMIT = /^[0-9a-f]{7,40}$/;
const FULL_COMMIT = /^[0-9a-f]{40}$/;

export interface GitRemote {
  url: string;
  /** Scheme, host and port. The account's token is sent only there. */
  origin: string;
}

/** What to check out: a commit id, or the first of these refs that the repository has. */
export type GitTarget =
  | { kind: 'commit'; commit: string; refs: string[] }
  | { kind: 'ref'; refs: string[]; missing: Message };

/** @throws BuildStepError (clone_failed) for an address that is not allowed */
export function checkRemote(url: string, protocols: readonly string[]): GitRemote {
  // The URL parser ignores line breaks and spaces that git would not ignore.
  const plain = /^[\x21-\x7e]+$/.test(url) && !/%0[0ad]/i.test(url) && !url.includes('\\');
  const parsed = plain && URL.canParse(url) ? new URL(url) : null;
  const protocol = parsed?.protocol.slice(0, -1) ?? '';
  const allowed = protocol === 'https' || protocols.includes(protocol);
  if (!parsed || !allowed) throw refused(url);
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw refused(url);
  if (protocol === 'http' && !LOOPBACK.has(parsed.hostname)) throw refused(url);
  return { url, origin: protocol === 'file' ? 'file://' : parsed.origin };
}

/** @throws BuildStepError (commit_not_found) for a name that no ref and no commit can have */
export function gitTargetOf(source: { ref: string | null; commit: string | null; pr: number | null }): GitTarget {
  const named = source.pr !== null ? pullRequest(source.pr) : branchOrTag(source.ref);
  if (source.commit === null) return named;
  const commit = source.commit.toLowerCase();
  if (!BARE_COMMIT.test(commit)) {
    throw commitNotFound(hostFailure('not_a_commit_id', { commit: JSON.stringify(source.commit), least: 7, most: 40 }));
  }
  return { kind: 'commit', commit, refs: named.kind === 'ref' ? named.refs : [] };
}

export function isFullCommit(commit: string): boolean {
  return FULL_COMMIT.test(commit);
}

function branchOrTag(ref: string | null): GitTarget {
  if (ref === null) return { kind: 'ref', refs: ['HEAD'], missing: hostFailure('repository_empty') };
  if (!isRefName(ref)) throw commitNotFound(hostFailure('not_a_ref_name', { ref: JSON.stringify(ref.slice(0, 200)) }));
  const missing = hostFailure('no_branch_or_tag', { ref });
  if (ref === 'HEAD' || ref.startsWith('refs/')) return { kind: 'ref', refs: [ref], missing };
  const refs = [`refs/heads/${ref}`, `refs/tags/${ref}`, `refs/${ref}`];
  return { kind: 'ref', refs, missing };
}

/** Refs of GitHub and Gitea, GitLab, Bitbucket Server. Bitbucket Cloud has none. */
function pullRequest(pr: number): GitTarget {
  return {
    kind: 'ref',
    refs: [`refs/pull/${pr}/head`, `refs/merge-requests/${pr}/head`, `refs/pull-requests/${pr}/from`],
    missing: hostFailure('no_pull_request', { pr }),
  };
}

/** Applies the rules of `git check-ref-format`, and rejects names that begin with a dash. */
function isRefName(ref: string): boolean {
  if (ref === '' || ref === '@' || ref.length > 1000 || ref.startsWith('-')) return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

function refused(url: string): BuildStepError {
  return new BuildStepError(
    'source',
    'clone_failed',
    'customer',
    hostFailure('address_not_allowed', { url: JSON.stringify(url.slice(0, 300)) }),
  );
}
