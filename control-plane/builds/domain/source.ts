// Validates where a build's sources come from, before anything is cloned.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';

export interface CodeHosts {
  /** Root address of the host on which `repo` (owner/name) lies, without a slash at its end. */
  readonly default: string;
  /** Hosts allowed in repo_url: a host name (then https), or a whole origin such as `https://git.example:8443`. */
  readonly allowed: readonly string[];
}

export const defaultCodeHosts: CodeHosts = {
  default: 'https://github.com',
  allowed: ['github.com', 'gitlab.com', 'bitbucket.org'],
};

const REPO = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** `owner/name`. Throws invalid_repo. */
export function checkRepo(repo: string): string {
  if (!REPO.test(repo) || repo.endsWith('.git')) throw new ApiError('invalid_repo');
  return repo;
}

/** @example repoAddress('apple/swift', hosts) // 'https://github.com/apple/swift.git' */
export function repoAddress(repo: string, hosts: CodeHosts): string {
  return `${hosts.default}/${repo}.git`;
}

/** An address without credentials, query or fragment, on an allowed host. Throws invalid_repo_url or repo_host_not_allowed. */
export function checkRepoUrl(text: string, hosts: CodeHosts, limits: Pick<Limits, 'repo_url_chars'>): string {
  // The URL parser silently drops white space and control characters.
  if (text.length > limits.repo_url_chars || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) {
    throw new ApiError('invalid_repo_url');
  }
  const url = new URL(text);
  const allowed = hosts.allowed.some((host) =>
    host.includes('://') ? url.origin === host : url.protocol === 'https:' && url.host === host,
  );
  if (!allowed) {
    const code =
      url.protocol === 'https:' && !url.username && !url.password ? 'repo_host_not_allowed' : 'invalid_repo_url';
    throw new ApiError(code, { detail: { allowed_hosts: hosts.allowed } });
  }
  const plain = !url.username && !url.password && !url.search && !url.hash && !/[?#]$/.test(text);
  if (!plain || !/^\/[^/]/.test(url.pathname)) throw new ApiError('invalid_repo_url');
  return text;
}

/** Accepts what git accepts as a ref name, except what git could take for an option. */
export function isRefName(ref: string, limits: Pick<Limits, 'ref_chars'>): boolean {
  if (ref.length === 0 || ref.length > limits.ref_chars || ref === '@') return false;
  if (/^[-/]|[/.]$|\.\.|@\{|\/\/|[\p{Cc} ~^:?*[\\]/u.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/** Throws invalid_ref. */
export function checkRef(ref: string, limits: Pick<Limits, 'ref_chars'>): string {
  if (!isRefName(ref, limits)) throw new ApiError('invalid_ref');
  return ref;
}

/** 7 to 40 hex digits, in lower case. Throws invalid_commit. */
export function checkCommit(commit: string): string {
  if (!/^[0-9a-fA-F]{7,40}$/.test(commit)) throw new ApiError('invalid_commit');
  return commit.toLowerCase();
}
