import { useMutation } from '@tanstack/react-query';
import type { ArtifactAddress, FileKind, FilePage } from '../../../client/types.js';
import { CONSOLE_ROOT, request } from './api.js';
import { forget, pagesByCursor, useChange } from './queries.js';

const PAGE = 50;

export interface FileFilter {
  readonly kind: FileKind | null;
  /** Only the artifacts of this build. */
  readonly build: string | null;
}

/** Files are of one workspace. */
export const filesQuery = (orgId: string, workspaceId: string, { kind, build }: FileFilter) =>
  pagesByCursor<FilePage>([orgId, 'files', workspaceId, kind, build], '/v1/files', {
    workspace_id: workspaceId,
    kind,
    job_id: build,
    limit: PAGE,
  });

export const useDeleteFile = (orgId: string) =>
  useChange(
    (id: string) => request<null>('DELETE', `/v1/files/${encodeURIComponent(id)}`),
    () => forget(orgId, 'files', 'usage'),
  );

/**
 * Saves an artifact.
 *
 * @param downloadUrl `download_url` of a file, which answers a signed address for a short time
 */
export async function download(downloadUrl: string): Promise<void> {
  const { url } = await request<ArtifactAddress>('GET', downloadUrl.slice(CONSOLE_ROOT.length));
  // The response is an attachment, so that the page stays.
  location.assign(new URL(new URL(url).pathname, location.origin));
}

export const useDownload = () => useMutation({ mutationFn: download });
