import { deleteFile, listFiles } from '../../../client/operations/console.js';
import type { ArtifactAddress, FileKind } from '../../../client/types.js';
import { type Call, call, send } from './api.js';
import { useMutation } from './mutation.js';
import { forget, pagesByCursor, useChange } from './queries.js';

const PAGE = 50;

export interface FileFilter {
  readonly kind: FileKind | null;
  /** Only the artifacts of this build. */
  readonly build: string | null;
}

/** Files are of one workspace. */
export const filesQuery = (orgId: string, workspaceId: string, { kind, build }: FileFilter) =>
  pagesByCursor([orgId, 'files', workspaceId, kind, build], (cursor) =>
    call(listFiles, { workspace_id: workspaceId, kind, job_id: build, limit: PAGE, cursor }),
  );

export const useDeleteFile = (orgId: string) =>
  useChange(
    (id: string) => send(call(deleteFile, id)),
    () => forget(orgId, 'files', 'usage'),
  );

/**
 * Saves an artifact.
 *
 * @param downloadUrl `download_url` of a file, which answers a signed address for a short time
 */
export async function download(downloadUrl: string): Promise<void> {
  const address: Call<ArtifactAddress> = { method: 'GET', path: downloadUrl, address: downloadUrl };
  const { url } = await send(address);
  // The response is an attachment, so that the page stays.
  location.assign(new URL(new URL(url).pathname, location.origin));
}

export const useDownload = () => useMutation({ mutationFn: download });
