// What builds of one project have in common.
import { createHash } from 'node:crypto';

interface Source {
  readonly repo: string | null;
  readonly repoUrl: string | null;
}

/**
 * Names a project of the workspace that it was uploaded to, or a repository as it was named.
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
  return createHash('sha256')
    .update(JSON.stringify([sourceKey, script]))
    .digest('hex');
}
