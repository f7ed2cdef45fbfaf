// Reading uploads for builds: their manifest, and the contents that they name.
import type { Readable } from 'node:stream';
import type { Contents } from '../../platform/blobs/contents.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Store } from '../../platform/store/sql.js';
import type { Upload } from '../domain/upload.js';
import { findBlob } from '../store/blobs.js';
import { findAnyUpload } from '../store/uploads.js';
import type { UploadContentsCache } from './upload-contents.js';

export type UploadReads = ReturnType<typeof createUploadReads>;

export function createUploadReads(
  store: Store,
  { blobs, manifests }: Pick<Contents, 'blobs' | 'manifests'>,
  named: UploadContentsCache,
) {
  const held = async (uploadId: string, accountId: number): Promise<Upload> => {
    const upload = await findAnyUpload(store, uploadId);
    if (upload?.accountId !== accountId) throw new ApiError('upload_not_found');
    return upload;
  };

  return {
    /**
     * Returns a text that is equal for uploads of the same files under the same project; null when the account has no
     * such upload.
     */
    async identity(accountId: number, uploadId: string): Promise<string | null> {
      const upload = await findAnyUpload(store, uploadId);
      return upload?.accountId === accountId ? `${upload.project}:${upload.manifestSha256}` : null;
    },

    /** For an upload that a build of the account uses; null when there is none. */
    find: (uploadId: string): Promise<Upload | null> => findAnyUpload(store, uploadId),

    /** The stored manifest JSON. */
    async openManifest(uploadId: string, accountId: number): Promise<{ size: number; stream: Readable }> {
      const { manifestKey } = await held(uploadId, accountId);
      const scope = String(accountId);
      const stored = await manifests.stat(scope, manifestKey);
      return { size: stored?.size ?? 0, stream: await manifests.open(scope, manifestKey) };
    },

    /** SHA-256 of every content that the upload names. */
    contentsOf: async (uploadId: string, accountId: number): Promise<{ has(sha256: string): boolean }> =>
      (await named.of(await held(uploadId, accountId))).sizes,

    async openBlob(accountId: number, sha256: string): Promise<{ size: number; stream: Readable }> {
      const blob = await findBlob(store, accountId, sha256);
      if (!blob) throw new ApiError('not_found', { message: `${sha256} is not stored.` });
      return { size: blob.size, stream: await blobs.open(String(accountId), blob.blobKey) };
    },
  };
}
