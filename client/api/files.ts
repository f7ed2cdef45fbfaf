// The console's API: uploaded sources and artifacts of the key's workspace.
import { callOf, methodsOf } from '../http/call-operation.js';
import { type CallOptions, fetchBytes, type Wire } from '../http/exchange.js';
import { deleteFile, getArtifact, getArtifactContents, listFiles } from '../operations/console.js';
import type { MethodsOf } from '../operations/operation.js';
import type { WorkspaceFile } from '../types.js';
import { readArtifactRecords } from './artifact-records.js';

const LARGEST_PAGE = 100;
const LOST = 'the connection was lost in the middle of an artifact';

const operations = {
  list: listFiles,
  /** A signed address of an artifact, valid without a key until `expires_at`. */
  artifactAddress: getArtifact,
  /** Fails with `file_in_use` while an unfinished build needs the upload. */
  delete: deleteFile,
};

export interface FilesApi extends MethodsOf<typeof operations, CallOptions> {
  /** Every artifact of a build, page by page. */
  artifactsOf(buildId: string, options?: CallOptions): AsyncGenerator<WorkspaceFile, void, undefined>;
  /** An artifact's bytes as they arrive; a lost connection is an error. */
  downloadArtifact(buildId: string, fileId: string, options?: CallOptions): AsyncGenerator<Uint8Array, void, undefined>;
  /**
   * The contents of several artifacts of a build in one request, each read into memory; deleted ones are left out.
   * Fails with status 405 at a service that is older than this endpoint.
   */
  artifactContents(
    buildId: string,
    artifacts: readonly Pick<WorkspaceFile, 'id' | 'bytes'>[],
    options?: CallOptions,
  ): AsyncGenerator<{ id: string; content: Uint8Array }, void, undefined>;
}

export function filesApi(wire: Wire): FilesApi {
  const methods = methodsOf(wire, operations);
  return {
    ...methods,
    async *artifactsOf(buildId, options) {
      let cursor: string | undefined;
      do {
        const page = await methods.list({ kind: 'artifact', job_id: buildId, limit: LARGEST_PAGE, cursor }, options);
        yield* page.data;
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
    async *downloadArtifact(buildId, fileId, options) {
      const { url } = await methods.artifactAddress(buildId, fileId, options);
      const address = new URL(url, `${wire.runnerUrl}/`);
      // The signed address needs no key, and may be on another server, which must not receive it.
      const signed = { ...wire, key: null, baseUrl: address.origin };
      yield* fetchBytes(signed, { method: 'GET', path: address.pathname + address.search, options }, LOST);
    },
    async *artifactContents(buildId, artifacts, options) {
      const call = callOf(getArtifactContents, [buildId, { file_ids: artifacts.map(({ id }) => id) }], options);
      yield* readArtifactRecords(fetchBytes(wire, call, LOST), artifacts);
    },
  };
}
