import { callOf, methodsOf, withNamed } from '../http/call-operation.js';
import { type CallOptions, fetchJson, type Wire } from '../http/exchange.js';
import type { SendBody } from '../http/fetch-like.js';
import { createUpload, getUpload, sendBlobs, uploadTar } from '../operations/api.js';
import type { MethodsOf } from '../operations/operation.js';
import type { CreatedUpload, StoredBlobs, TarUpload, UploadManifest, UploadStatus } from '../types.js';

/** Fields of every answer about an upload. */
export type Upload = Omit<UploadStatus, 'ready'>;

const operations = {
  /** One page of the missing contents; pass `missing_next` as `missingAfter` for the next one. */
  get: withNamed(getUpload, (id: string, { missingAfter }: { missingAfter?: string }) => [
    id,
    { missing_after: missingAfter },
  ]),
};

/** Uploads: send a manifest, send the missing contents, build. */
export interface UploadsApi extends MethodsOf<typeof operations, CallOptions> {
  /**
   * Sends the manifest of a folder; the answer lists the contents that the service does not have.
   *
   * @param manifest the manifest, or the gzip of its JSON
   */
  create(manifest: UploadManifest | Uint8Array, options?: CallOptions): Promise<CreatedUpload>;
  /**
   * Sends contents: a gzip of records, each a line `<sha256> <size>` and exactly that many bytes.
   *
   * @param body called again when the request is repeated
   */
  blobs(id: string, body: () => SendBody, options?: CallOptions): Promise<StoredBlobs>;
  /** Sends a whole folder as one gzip tar. */
  tar(body: () => SendBody, options?: CallOptions & { project?: string }): Promise<TarUpload>;
}

export function uploadsApi(wire: Wire, gzip: (data: Uint8Array) => Promise<Uint8Array>): UploadsApi {
  const gzipped = (content: () => SendBody) => ({ bytes: { type: 'application/gzip', content } });
  return {
    ...methodsOf(wire, operations),
    async create(manifest, options) {
      const packed =
        manifest instanceof Uint8Array ? manifest : await gzip(new TextEncoder().encode(JSON.stringify(manifest)));
      return fetchJson(wire, { ...callOf(createUpload, [], options), ...gzipped(() => packed) });
    },
    blobs: (id, content, options) => fetchJson(wire, { ...callOf(sendBlobs, [id], options), ...gzipped(content) }),
    tar: (content, options) =>
      fetchJson(wire, { ...callOf(uploadTar, [{ project: options?.project }], options), ...gzipped(content) }),
  };
}
