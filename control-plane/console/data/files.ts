import { infiniteQueryOptions, useMutation } from '@tanstack/react-query';
import type { ArtifactAddress, FileKind, FilePage } from '../../../client/types.js';
import { CONSOLE_ROOT, request } from './api.js';
import { queryClient } from './query-client.js';

const PAGE = 50;

export interface FileFilter {
  readonly kind: FileKind | null;
  /** Only the artifacts of this build. */
  readonly build: string | null;
}

/** Files are of one workspace. */
export const filesQuery = (orgId: string, workspaceId: string, { kind, build }: FileFilter) =>
  infiniteQueryOptions({
    queryKey: [orgId, 'files', workspaceId, kind, build],
    queryFn: ({ signal, pageParam }) =>
      request<FilePage>('GET', '/v1/files', {
        query: { workspace_id: workspaceId, kind, job_id: build, cursor: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const useDeleteFile = (orgId: string) =>
  useMutation({
    mutationFn: (id: string) => request<null>('DELETE', `/v1/files/${encodeURIComponent(id)}`),
    onSuccess: () =>
      Promise.all(['files', 'usage'].map((noun) => queryClient.invalidateQueries({ queryKey: [orgId, noun] }))),
  });

/** Downloads an artifact: the service gives a signed address, valid for some minutes. */
export const useDownload = () =>
  useMutation({
    async mutationFn(downloadUrl: string) {
      const path = downloadUrl.startsWith(CONSOLE_ROOT) ? downloadUrl.slice(CONSOLE_ROOT.length) : downloadUrl;
      const { url } = await request<ArtifactAddress>('GET', path);
      location.assign(url);
    },
  });
