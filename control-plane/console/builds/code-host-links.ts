// Pages of the code host about what a build is built from.
import type { Build } from '../../../client/types.js';
import type { Source } from './source.js';

export interface CodeHostLinks {
  readonly repository: string | null;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly pr: string | null;
  /** The commits of the author. */
  readonly author: string | null;
}

type Linked = Pick<Source, 'repo' | 'repo_url' | 'ref' | 'pr' | 'commit' | 'commit_sha'> & Pick<Build, 'commit_author'>;

interface Paths {
  ref(name: string): string;
  commit(sha: string): string;
  pr(n: number): string;
}

const gitlab: Paths = {
  ref: (name) => `/-/tree/${name}`,
  commit: (sha) => `/-/commit/${sha}`,
  pr: (n) => `/-/merge_requests/${n}`,
};
const bitbucket: Paths = {
  ref: (name) => `/src/${name}`,
  commit: (sha) => `/commits/${sha}`,
  pr: (n) => `/pull-requests/${n}`,
};
const github: Paths = {
  ref: (name) => `/tree/${name}`,
  commit: (sha) => `/commit/${sha}`,
  pr: (n) => `/pull/${n}`,
};

/** The first entry that matches the name of the host is used; any other host is treated as GitHub. */
const kinds = [
  [/(?:^|\.)gitlab\./, gitlab],
  [/(?:^|\.)bitbucket\./, bitbucket],
  [/./, github],
] as const;

const NONE: CodeHostLinks = { repository: null, ref: null, commit: null, pr: null, author: null };

/**
 * Returns the addresses of repository, branch or tag, commit, pull request and author; null for what the build does not
 * have. An upload has none.
 *
 * @param codeHost root address of the host on which `repo` lies
 * @example codeHostLinks(build, 'https://github.com').pr // 'https://github.com/acme/app/pull/128'
 */
export function codeHostLinks(build: Linked, codeHost: string): CodeHostLinks {
  const address = build.repo === null ? build.repo_url : `${codeHost}/${build.repo}`;
  if (address === null || !URL.canParse(address)) return NONE;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return NONE;
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  const root = url.origin + path;
  const paths = kinds.find(([name]) => name.test(url.hostname))?.[1] ?? github;
  const sha = build.commit_sha ?? build.commit;
  const name = build.ref
    ?.replace(/^refs\/(?:heads|tags)\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const link = (text: string | null | undefined) => (text == null ? null : root + text);
  return {
    repository: root,
    ref: link(name && paths.ref(name)),
    commit: link(sha && paths.commit(encodeURIComponent(sha))),
    pr: link(build.pr === null ? null : paths.pr(build.pr)),
    author: build.commit_author === null ? null : authorLink(paths, url.origin, root, build.commit_author),
  };
}

function authorLink(paths: Paths, origin: string, root: string, name: string): string | null {
  if (paths === gitlab) return `${root}/-/commits?author=${encodeURIComponent(name)}`;
  if (origin !== 'https://github.com') return null;
  const query = `repo:${root.slice(origin.length + 1)} author-name:"${name.replaceAll('"', '')}"`;
  return `${origin}/search?type=commits&q=${encodeURIComponent(query)}`;
}
