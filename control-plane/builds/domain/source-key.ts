// Keys that builds of one project share.
import { hash } from 'node:crypto';

interface Source {
  readonly repo: string | null;
  readonly repoUrl: string | null;
}

/**
 * Returns the key of an uploaded project of a workspace, or of a repository.
 *
 * @example 'upload:ws_1:shop-ios', 'repo:acme/shop-ios', 'repo_url:https://git.example/shop-ios.git'
 */
export function sourceKeyOf(
  { repo, repoUrl }: Source,
  upload: { readonly workspaceId: string; readonly project: string } | null,
): string {
  if (upload) return `upload:${upload.workspaceId}:${upload.project}`;
  return repo === null ? `repo_url:${repoUrl ?? ''}` : `repo:${repo}`;
}

/** The same for builds of one project with the same script. */
export function historyKeyOf(sourceKey: string, script: string): string {
  return hash('sha256', JSON.stringify([sourceKey, script]), 'hex');
}
