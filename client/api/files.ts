// The console's API: uploaded sources and artifacts of the key's workspace.
import { type CallOptions, fetchBytes, fetchJson, fetchText, type Wire } from '../http/exchange.js';
import type { ArtifactAddress, FileFilter, FilePage, WorkspaceFile } from '../types.js';
import { readArtifactRecords } from './artifact-records.js';

const LARGEST_PAGE = 100;
const LOST = 'the connection was lost in the middle of an artifact';

export interface FilesApi {
  list(filter?: FileFilter, options?: CallOptions): Promise<FilePage>;
  /** Every artifact of a build, page by page. */
  artifactsOf(buildId: string, options?: CallOptions): AsyncGenerator<WorkspaceFile, void, undefined>;
  /** A signed address of an artifact, valid for 15 minutes without a key. */
  artifactAddress(buildId: string, fileId: string, options?: CallOptions): Promise<ArtifactAddress>;
  /** An artifact's bytes as they arrive; a lost connection is an error. */
  downloadArtifact(buildId: string, fileId: string, options?: CallOptions): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * The contents of artifacts of a build by one request for all, each read into memory; those that are gone are left out.
   * At most 1,000. Fails with status 405 at a service that is older than this endpoint.
   */
  artifactContents(
    buildId: string,
    artifacts: readonly Pick<WorkspaceFile, 'id' | 'bytes'>[],
    options?: CallOptions,
  ): AsyncGenerator<{ id: string; content: Uint8Array }, void, undefined>;
  /** Fails with `file_in_use` while an unfinished build needs the upload. */
  delete(fileId: string, options?: CallOptions): Promise<void>;
}

export function filesApi(wire: Wire): FilesApi {
  const list: FilesApi['list'] = (filter, options) =>
    fetchJson(wire, { family: 'runner', method: 'GET', path: '/v1/files', query: { ...filter }, options });
  const artifactAddress: FilesApi['artifactAddress'] = (buildId, fileId, options) =>
    fetchJson(wire, {
      family: 'runner',
      method: 'GET',
      path: `/v1/jobs/${encodeURIComponent(buildId)}/artifacts/${encodeURIComponent(fileId)}`,
      options,
    });
  return {
    list,
    async *artifactsOf(buildId, options) {
      let cursor: string | undefined;
      do {
        const filter = { kind: 'artifact', job_id: buildId, limit: LARGEST_PAGE } as const;
        const page = await list(cursor === undefined ? filter : { ...filter, cursor }, options);
        yield* page.data;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    artifactAddress,
    async *downloadArtifact(buildId, fileId, options) {
      const { url } = await artifactAddress(buildId, fileId, options);
      const address = new URL(url, `${wire.runnerUrl}/`);
      // The signed address needs no key, and may be on another server, which must not receive it.
      const signed = { ...wire, key: null, runnerUrl: address.origin };
      const path = address.pathname + address.search;
      const call = { family: 'runner', method: 'GET', path, options } as const;
      yield* fetchBytes(signed, call, LOST);
    },
    async *artifactContents(buildId, artifacts, options) {
      const path = `/v1/jobs/${encodeURIComponent(buildId)}/artifacts/contents`;
      const json = { file_ids: artifacts.map(({ id }) => id) };
      const call = { family: 'runner', method: 'POST', path, json, options } as const;
      yield* readArtifactRecords(fetchBytes(wire, call, LOST), artifacts);
    },
    async delete(fileId, options) {
      const path = `/v1/files/${encodeURIComponent(fileId)}`;
      await fetchText(wire, { family: 'runner', method: 'DELETE', path, options });
    },
  };
}
