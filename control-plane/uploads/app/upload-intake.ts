// Receiving uploads: a manifest, the contents that it lacks, or a folder as one archive.

import type { Readable } from 'node:stream';
import { readTar } from '../../../shared/archive/tar-reader.js';
import type { Clock } from '../../../shared/clock.js';
import { endTurn } from '../../../shared/in-steps.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { SourceFile, SourceManifest } from '../../../shared/protocol/index.js';
import type { StorageOwner, StorageQuota } from '../../access/app/storage-quota.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Step } from '../../platform/app/turns.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { DiskRoom } from '../../platform/blobs/disk-room.js';
import { type Caller, isInScope, scopeOf } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type Upload, uploadLife } from '../domain/upload.js';
import { contentSizes, isProjectName, readManifest } from '../formats/manifest.js';
import { extendUpload, findUpload } from '../store/uploads.js';
import { type BlobIntakeDeps, beginIntake } from './blob-intake.js';
import { changedUpload, type FileChange } from './changed-upload.js';
import { acceptUpload } from './upload-acceptance.js';
import { onBase } from './upload-base.js';
import { receiveBlobs } from './upload-blobs.js';
import { readBody } from './upload-body.js';
import { type UploadBounds, uploadBounds } from './upload-bounds.js';
import { noteCompletion, pageOfMissing, refreshUpload } from './upload-completion.js';
import type { UploadContentsCache } from './upload-contents.js';

export interface UploadsDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  /** For network timeouts, which do not follow the test clock. */
  readonly realClock: Clock;
  readonly contents: Pick<Contents, 'blobs' | 'manifests'>;
  readonly quota: StorageQuota;
  /** Checked before a body is read; without it only the check of the content store applies. */
  readonly room?: Pick<DiskRoom, 'check'>;
}

/** Uploads of other accounts and workspaces give `upload_not_found`. Their work is done in steps. */
export type UploadIntake = ReturnType<typeof createUploadIntake>;

const DEFAULT_PROJECT = 'upload';

/** Throws upload_not_found, also for an upload of another account or workspace. */
export async function findOwned(
  { store, clock, limits }: Pick<UploadsDeps, 'store' | 'clock' | 'limits'>,
  caller: Caller,
  uploadId: string,
): Promise<Upload> {
  const life = uploadLife(clock.now(), limits);
  const upload = await findUpload(store, { accountId: caller.account.id, uploadId }, life);
  if (!upload || !isInScope(scopeOf(caller), upload)) throw new ApiError('upload_not_found');
  return upload;
}

const ownerOf = ({ account, workspaceId }: Caller) => ({ accountId: account.id, workspaceId });

export function createUploadIntake(deps: UploadsDeps, named: UploadContentsCache) {
  const { store, clock, limits, room, quota } = deps;
  const { blobs, manifests } = deps.contents;
  const bounds = uploadBounds(limits, deps.realClock);
  const accepting = { store, clock, limits, manifests, quota };
  const basing = {
    manifests,
    named,
    maxTotalBytes: bounds.files.maxTotalBytes,
    findOwned: (caller: Caller, uploadId: string) => findOwned(deps, caller, uploadId),
  };
  const changing = { ...basing, store, clock, blobs, quota, maxFileBytes: bounds.files.maxFileBytes };
  const receiving = { store, clock, blobs, bounds, quota };

  return {
    /** Accepts the manifest in a gzip body. See POST /uploads for its errors. */
    async create(caller: Caller, body: Readable, accepted?: InTransaction<Upload>, step: Step = endTurn) {
      await room?.check(0);
      const { request, base, changes } = await readBody(body, bounds.manifest, step, async (unpacked) => {
        const { base: baseId, ...read } = await readManifest(unpacked, bounds.files, step);
        if (baseId !== null) return onBase(basing, caller, { ...read, base: baseId }, step);
        return { request: read, base: named.latest(caller.account.id, read.project), changes: null };
      });
      const { sizes } = request;
      const acceptance = await acceptUpload(accepting, caller, { ...request, accepted }, base, step);
      const { upload, missing, missingBytes, deletions } = acceptance;
      named.keep(upload, { sizes, look: { deletions, missing }, changes });
      return { upload, ...pageOfMissing(missing, limits.upload_missing_page), missingBytes };
    },

    /** Accepts a complete upload that is its base with some files changed. See `changedUpload` for its errors. */
    async createChanged(caller: Caller, baseId: string, files: readonly FileChange[], step: Step = endTurn) {
      await room?.check(0);
      const { request, base, changes } = await changedUpload(changing, caller, baseId, files, step);
      const { upload, missing, deletions } = await acceptUpload(accepting, caller, request, base, step);
      const contents = { sizes: request.sizes, look: { deletions, missing }, changes };
      named.keep(upload, contents);
      // Contents were deleted while these were looked up.
      return upload.ready ? upload : (await refreshUpload(store, upload, contents, step)).upload;
    },

    /** Stores contents from a gzip body of records; returns how many were new. */
    async addBlobs(caller: Caller, uploadId: string, body: Readable, step: Step = endTurn): Promise<number> {
      const upload = await findOwned(deps, caller, uploadId);
      // Before the body: a client with gigabytes to send learns at once that there is no room.
      await room?.check(0);
      const known = await named.of(upload, step);
      const until = clock.now() + limits.upload_unused_ms;
      // Written while the body is read.
      const living = store.transaction(async (tx) => {
        if (!(await extendUpload(tx, uploadId, until))) throw new ApiError('upload_not_found');
      });
      let looked = upload.ready;
      const last = async (tx: Transaction) => {
        looked ||= await noteCompletion(tx, upload, known);
      };
      try {
        const receiver = { owner: upload, sizes: known.sizes, living, last };
        return await receiveBlobs(receiving, receiver, body, step);
      } finally {
        if (!looked) await refreshUpload(store, upload, known);
      }
    },

    /** Accepts a gzip tar; the upload is complete at once. `project` as sent by the client. */
    async createFromTar(
      caller: Caller,
      project: unknown = DEFAULT_PROJECT,
      body: Readable,
      accepted?: InTransaction<Upload>,
      step: Step = endTurn,
    ): Promise<Upload> {
      if (!isProjectName(project)) {
        throw fieldError('invalid_tar', 'project', fieldProblem('invalid_format'), {
          message: 'project must have 1 to 64 letters, digits, underscores, dots or hyphens.',
        });
      }
      await room?.check(0);
      const manifest = await receiveTar(receiving, ownerOf(caller), body, step);
      const totalBytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
      const sizes = await contentSizes(manifest.files, step);
      const request = { project, manifest, totalBytes, sizes, accepted };
      const { upload, missing, deletions } = await acceptUpload(accepting, caller, request, null, step);
      // Only possible when the archive took longer to arrive than garbage is kept.
      if (missing.size > 0) throw new ApiError('uploads_unavailable', { retryAfterS: 1 });
      if (upload.ready) return upload;
      // Contents were deleted while these were looked up.
      const look = { deletions, missing };
      return (await refreshUpload(store, upload, { sizes, look, changes: null }, step)).upload;
    },
  };
}

/**
 * Stores the files of an archive and returns its manifest. Until an upload with that manifest is accepted, the
 * contents are kept like those of an unused upload.
 *
 * @throws ApiError `invalid_gzip`, `invalid_tar`, `empty_upload`, `too_many_files`, `upload_too_large`, `storage_quota_exceeded`; BlobError
 *   `no_space`, `failed`
 */
async function receiveTar(
  deps: BlobIntakeDeps & { readonly bounds: UploadBounds },
  owner: StorageOwner,
  body: Readable,
  step: Step,
): Promise<SourceManifest> {
  const { bounds } = deps;
  const intake = beginIntake(deps, owner, false);
  const files: SourceFile[] = [];
  try {
    const rest = await readBody(body, bounds.contents, step, async (unpacked) => {
      const entries = readTar(unpacked, bounds.files, step);
      let entry = await entries.next();
      for (; !entry.done; entry = await entries.next()) {
        const { path, mode, size, body: content } = entry.value;
        files.push({ path, mode, size, sha256: await intake.add(content, { size }) });
      }
      return entry.value;
    });
    return { files, ...rest };
  } finally {
    await intake.finish();
  }
}
