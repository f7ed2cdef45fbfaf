// Maps the failure of a git command to the failure of the build.
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { Message } from '../../shared/messages/message.js';
import { BuildStepError } from '../contract/build-step-error.js';
import { GitError } from './git-process.js';
import { hostDiskFull } from './step-failure.js';

export type GitErrorKind =
  | 'disk_full'
  | 'authentication'
  | 'not_found'
  | 'ref_missing'
  | 'certificate'
  | 'network'
  | 'damaged'
  | 'other';

// The order matters: a transfer that fails because the disk is full or an object is damaged also reports that the
// remote end hung up.
const PATTERNS: readonly (readonly [GitErrorKind, RegExp])[] = [
  ['disk_full', /no space left on device|disk quota exceeded/i],
  ['damaged', /bad object|missing object|corrupt|inflate|does not match index|did not send all necessary objects/i],
  [
    'authentication',
    /could not read (?:username|password)|authentication failed|access denied|returned error: (?:401|403)|invalid credentials|terminal prompts disabled/i,
  ],
  [
    'not_found',
    /repository .*not found|could not be found|returned error: 404|does not appear to be a git repository|does not exist/i,
  ],
  ['ref_missing', /couldn't find remote ref|not our ref|unadvertised object|no such remote ref|remote error: .*want/i],
  ['certificate', /certificate (?:problem|verif)|ssl certificate|self[- ]signed certificate/i],
  [
    'network',
    /from proxy after connect|proxy connect|connect tunnel|could not resolve|couldn't resolve|failed to connect|couldn't connect|connection (?:refused|reset|timed out|was aborted)|timed out|early eof|rpc failed|hung up|unexpected disconnect|operation too slow|transfer closed|empty reply|gnutls_|ssl connect|tls connect|returned error: (?:429|5\d\d)|recv failure|send failure|network is unreachable|unexpected eof|bad line length/i,
  ],
  [
    'damaged',
    /unable to read|could not read|packfile|object file|missing (?:blob|tree|commit)|invalid object|not a tree|not a git repository|bad (?:tree|signature|config|ref)|broken|cannot lock ref|unable to create '.*\.lock'|unable to resolve reference|pack has|index-pack/i,
  ],
];

/** @example gitErrorKind(error) // of "fatal: couldn't find remote ref refs/heads/x": 'ref_missing' */
export function gitErrorKind(error: GitError): GitErrorKind {
  for (const [kind, pattern] of PATTERNS) if (pattern.test(error.stderr)) return kind;
  return 'other';
}

/** Returns whether fetching the repository again may help: the mirror on this host is damaged. */
export function isMirrorDamage(error: unknown): boolean {
  if (!(error instanceof GitError)) return false;
  const kind = gitErrorKind(error);
  return kind === 'damaged' || (error.local && kind !== 'disk_full');
}

/**
 * Returns the build's failure for an error of a git command; other errors are returned unchanged.
 *
 * @param withToken whether the account has a GIT_TOKEN; selects the advice
 */
export function gitFailure(error: unknown, url: string, withToken: boolean): unknown {
  if (!(error instanceof GitError)) return error;
  const reason = reasonOf(error.stderr);
  switch (gitErrorKind(error)) {
    case 'disk_full':
      return hostDiskFull(error);
    case 'authentication':
    case 'not_found': {
      const code = withToken ? 'repository_unreadable_with_token' : 'repository_unreadable';
      return cloneFailed('customer', hostFailure(code, { url, reason }), error);
    }
    case 'network':
      // Whose network is at fault cannot be seen from here.
      return new BuildStepError('source', 'network_error', 'unknown', unreachable(url, reason), {
        cause: error,
      });
    case 'certificate':
      return new BuildStepError(
        'source',
        'network_error',
        'platform',
        hostFailure('code_host_not_trusted', { origin: new URL(url).origin, reason }),
        { cause: error },
      );
    case 'ref_missing':
      return cloneFailed('customer', hostFailure('repository_without_ref', { url, reason }), error);
    default:
      return cloneFailed('unknown', hostFailure('repository_not_cloned', { url, reason }), error);
  }
}

const ANSWERED =
  /returned error: (?:429|5\d\d)|(?:early|unexpected) eof|hung up|disconnect|rpc failed|transfer closed|bad line length|empty reply|(?:recv|send) failure|connection reset|too slow/i;

/** @example unreachable('https://github.com/a/b', 'Could not resolve host: github.com') */
function unreachable(url: string, reason: string): Message {
  const host = new URL(url).host;
  return hostFailure(ANSWERED.test(reason) ? 'code_host_failed' : 'code_host_unreachable', { host, reason });
}

function cloneFailed(fault: 'customer' | 'unknown', message: Message, cause: Error): BuildStepError {
  return new BuildStepError('source', 'clone_failed', fault, message, { cause });
}

export function commitNotFound(message: Message): BuildStepError {
  return new BuildStepError('source', 'commit_not_found', 'customer', message);
}

/** Returns the line with the reason, without control characters. */
function reasonOf(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '').trim())
    .filter((line) => line !== '');
  const line = lines.findLast((text) => /^(?:fatal|error|remote):/.test(text)) ?? lines.at(-1) ?? 'no reason given';
  return line.slice(0, 300);
}
