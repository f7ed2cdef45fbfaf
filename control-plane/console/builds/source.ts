// What a build is built from, in words.
import type { Build, ListedBuild } from '../../../client/types.js';

export type Source = Pick<
  Build,
  'repo' | 'repo_url' | 'upload_id' | 'project' | 'ref' | 'pr' | 'commit' | 'commit_sha'
>;

/** @example repositoryOf({ repo_url: 'https://git.example/acme/app.git' }) // 'acme/app' */
export function repositoryOf({ repo, repo_url: url }: Pick<Source, 'repo' | 'repo_url'>): string | null {
  if (repo !== null || url === null) return repo;
  if (!URL.canParse(url)) return url;
  const path = new URL(url).pathname.replace(/^\/+|\.git$/g, '');
  return path === '' ? url : path;
}

/** The first digits of the commit; null when it is not known. */
export const shortCommit = ({ commit, commit_sha }: Pick<Source, 'commit' | 'commit_sha'>): string | null =>
  (commit_sha ?? commit)?.slice(0, 8) ?? null;

/** The message of the commit, or the first command of the script; empty for a script of comments. */
export const titleOf = (build: Pick<ListedBuild, 'commit_title' | 'script_excerpt'>): string =>
  build.commit_title || firstCommand(build.script_excerpt);

/** The first line of the script that is not empty, a comment or a setting. */
export function firstCommand(script: string): string {
  const lines = script.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '' && !line.startsWith('#') && !/^set [-+]/.test(line)) ?? '';
}
