// Folders uploaded by clients: as a manifest and the missing contents, or as one archive.

import { Readable } from 'node:stream';
import { endTurn } from '../../../shared/in-steps.js';
import type { Step } from '../../platform/app/turns.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { type Upload, uploadLife } from '../domain/upload.js';
import { findBlob } from '../store/blobs.js';
import { extendUpload, findAnyUpload, findUpload } from '../store/uploads.js';
import { type MissingPage, refreshUpload, type UploadStatus } from './upload-completion.js';
import { createUploadContents, type UploadContentsCache } from './upload-contents.js';
import { createUploadIntake, findOwned, type UploadIntake, type UploadsDeps } from './upload-intake.js';

/** Uploads of other accounts and workspaces give `upload_not_found`. */
export interface Uploads extends UploadIntake, UploadReads {
  /** Throws invalid_query if `after` is not a content of the upload. */
  status(caller: Caller, uploadId: string, after?: string | null, step?: Step): Promise<UploadStatus>;
  /**
   * Marks an upload as ready when its missing contents were stored through other uploads. Call it before the
   * transaction that claims the upload.
   */
  settle(upload: { accountId: number; uploadId: string }, step?: Step): Promise<void>;
  /**
   * In the transaction that accepts a build: checks that the upload exists and is complete, and extends its life.
   *
   * @throws ApiError `upload_not_found`, `upload_incomplete`
   */
  claim(
    tx: Transaction,
    upload: { accountId: number; workspaceId: string; uploadId: string; now: number },
  ): Promise<{ workspaceId: string; project: string }>;
}

export function createUploads(deps: UploadsDeps): Uploads {
  const { store, clock, limits } = deps;
  const named = createUploadContents(deps.contents.manifests);

  const refresh = async (upload: Upload, step: Step, page?: MissingPage): Promise<UploadStatus> => {
    if (upload.ready) return { upload, missing: [], missingNext: null };
    const known = await named.of(upload, step);
    const after = page?.after ?? null;
    if (after !== null && !known.sizes.has(after)) {
      throw new ApiError('invalid_query', { message: 'missing_after is not a missing_next of this upload.' });
    }
    return refreshUpload(store, upload, known, step, page);
  };

  return {
    ...createUploadIntake(deps, named),
    ...createUploadReads(store, deps.contents, named),

    status: async (caller, uploadId, after = null, step = endTurn) =>
      refresh(await findOwned(deps, caller, uploadId), step, { after, most: limits.upload_missing_page }),

    async settle({ accountId, uploadId }, step = endTurn) {
      const upload = await findUpload(store, { accountId, uploadId }, uploadLife(clock.now(), limits));
      if (upload) await refresh(upload, step);
    },

    async claim(tx, { accountId, workspaceId, uploadId, now }) {
      const upload = await findUpload(tx, { accountId, uploadId }, uploadLife(now, limits));
      if (!upload || upload.workspaceId !== workspaceId) throw new ApiError('upload_not_found');
      if (!upload.ready) throw new ApiError('upload_incomplete', { detail: { upload_id: uploadId } });
      await extendUpload(tx, uploadId, now + limits.upload_used_ms);
      return { workspaceId, project: upload.project };
    },
  };
}

type UploadReads = ReturnType<typeof createUploadReads>;

function createUploadReads(
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

    /** The stored manifest JSON; if it is known how it differs from the manifest `since`, only that (ManifestChanges). */
    async openManifest(
      uploadId: string,
      accountId: number,
      since?: string,
    ): Promise<{ size: number; stream: Readable }> {
      const upload = await held(uploadId, accountId);
      const changes = named.cached(upload)?.changes ?? null;
      if (changes !== null && changes.since === since) {
        const text = Buffer.from(JSON.stringify(changes));
        return { size: text.length, stream: Readable.from([text]) };
      }
      const { manifestKey } = upload;
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
