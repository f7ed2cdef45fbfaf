// Folders sent by clients: as a manifest and the contents that are missing, or as one archive.
import type { Readable } from 'node:stream';
import type { Clock } from '../../../shared/clock.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { DiskRoom } from '../../platform/blobs/disk-room.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { type Upload, uploadLife } from '../domain/upload.js';
import { contentSizes, isProjectName, readManifest } from '../formats/manifest.js';
import { findBlob } from '../store/blobs.js';
import { extendUpload, findAnyUpload, findUpload } from '../store/uploads.js';
import { type AcceptedUpload, acceptUpload } from './upload-acceptance.js';
import { receiveBlobs } from './upload-blobs.js';
import { readBody } from './upload-body.js';
import { uploadBounds } from './upload-bounds.js';
import { noteCompletion, refreshUpload } from './upload-completion.js';
import { createUploadContents } from './upload-contents.js';
import { receiveTar } from './upload-tar.js';

export interface UploadsDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Networks do not follow the test clock. */
  readonly realClock: Clock;
  readonly limits: Limits;
  readonly contents: Pick<Contents, 'blobs' | 'manifests'>;
  /** Asked before a body is read; without it the contents' own check counts. */
  readonly room?: Pick<DiskRoom, 'check'>;
}

/** An upload of another account or workspace does not exist: `upload_not_found`. */
export interface Uploads {
  /** Accepts the manifest in a gzip body. See POST /uploads for what it may throw. */
  create(caller: Caller, body: Readable): Promise<AcceptedUpload & { missingBytes: number }>;
  /** Stores contents from a gzip body of records; says how many were new. */
  addBlobs(caller: Caller, uploadId: string, body: Readable): Promise<number>;
  status(caller: Caller, uploadId: string): Promise<AcceptedUpload>;
  /** Accepts a gzip tar, complete at once. `project` as the client sent it. */
  createFromTar(caller: Caller, project: unknown, body: Readable): Promise<Upload>;
  /**
   * Notes that an upload has become complete without its own client having sent all of it. To be called before
   * the transaction that claims it.
   */
  settle(upload: { accountId: number; uploadId: string }): Promise<void>;
  /**
   * In the transaction that accepts a build: the upload exists, is complete, and lives on. Returns whose it is.
   *
   * @throws ApiError `upload_not_found`, `upload_incomplete`
   */
  claim(
    tx: Transaction,
    upload: { accountId: number; workspaceId: string; uploadId: string; now: number },
  ): Promise<{ workspaceId: string; project: string }>;
  /** Text that is the same for uploads of the same files under the same project; null when the account has none such. */
  identity(accountId: number, uploadId: string): Promise<string | null>;
  /** Of an upload that a build of the account holds; null when there is none. */
  find(uploadId: string): Promise<Upload | null>;
  /** The manifest's JSON as it is stored. */
  openManifest(uploadId: string, accountId: number): Promise<{ size: number; stream: Readable }>;
  /** SHA-256 of every content that the upload names. */
  contentsOf(uploadId: string, accountId: number): Promise<{ has(sha256: string): boolean }>;
  openBlob(accountId: number, sha256: string): Promise<{ size: number; stream: Readable }>;
}

const DEFAULT_PROJECT = 'upload';

export function createUploads(deps: UploadsDeps): Uploads {
  const { store, clock, limits } = deps;
  const { blobs, manifests } = deps.contents;
  const { room } = deps;
  const bounds = uploadBounds(limits, deps.realClock);
  const accepting = { store, clock, limits, manifests };
  const receiving = { store, clock, blobs, bounds };
  const named = createUploadContents(manifests);

  const owned = async ({ account, workspaceId }: Caller, uploadId: string): Promise<Upload> => {
    const life = uploadLife(clock.now(), limits);
    const upload = await findUpload(store, { accountId: account.id, uploadId }, life);
    if (!upload || upload.workspaceId !== workspaceId) throw new ApiError('upload_not_found');
    return upload;
  };

  const held = async (uploadId: string, accountId: number): Promise<Upload> => {
    const upload = await findAnyUpload(store, uploadId);
    if (upload?.accountId !== accountId) throw new ApiError('upload_not_found');
    return upload;
  };

  const refresh = async (upload: Upload): Promise<AcceptedUpload> =>
    upload.ready ? { upload, missing: [] } : refreshUpload(store, upload, await named.of(upload));

  return {
    async create(caller, body) {
      await room?.check(0);
      const request = await readBody(body, bounds.manifest, (unpacked) =>
        readManifest(unpacked, bounds.files),
      );
      const { project, sizes } = request;
      const base = named.latest(caller.account.id, project);
      const { upload, missing, deletions } = await acceptUpload(accepting, caller, request, base);
      named.keep(upload, { sizes, look: { deletions, missing: new Set(missing) } });
      const missingBytes = missing.reduce((sum, sha256) => sum + (sizes.get(sha256) ?? 0), 0);
      return { upload, missing, missingBytes };
    },

    async addBlobs(caller, uploadId, body) {
      const upload = await owned(caller, uploadId);
      // Before the body: who sends gigabytes hears at once that there is no room for them.
      await room?.check(0);
      const { accountId } = upload;
      const known = await named.of(upload);
      const until = clock.now() + limits.upload_unused_ms;
      // On its way to the disk while the body is read.
      const living = store.transaction(async (tx) => {
        if (!(await extendUpload(tx, uploadId, until))) throw new ApiError('upload_not_found');
      });
      let looked = upload.ready;
      const last = async (tx: Transaction) => {
        looked ||= await noteCompletion(tx, upload, known);
      };
      try {
        return await receiveBlobs(receiving, { accountId, sizes: known.sizes, living, last }, body);
      } finally {
        if (!looked) await refreshUpload(store, upload, known);
      }
    },

    status: async (caller, uploadId) => refresh(await owned(caller, uploadId)),

    async createFromTar(caller, project = DEFAULT_PROJECT, body) {
      if (!isProjectName(project)) {
        throw new ApiError('invalid_tar', {
          message: 'project must have 1 to 64 letters, digits, underscores, dots or hyphens.',
          detail: { fields: [{ path: 'project', message: 'not a project name' }] },
        });
      }
      await room?.check(0);
      const manifest = await receiveTar(receiving, caller.account.id, body);
      const totalBytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
      const sizes = contentSizes(manifest.files);
      const request = { project, manifest, totalBytes, sizes };
      const { upload, missing } = await acceptUpload(accepting, caller, request, null);
      // Possible only when the archive took longer to arrive than garbage is kept.
      if (missing.length > 0) throw new ApiError('uploads_unavailable', { retryAfterS: 1 });
      return upload;
    },

    async settle({ accountId, uploadId }) {
      const upload = await findUpload(store, { accountId, uploadId }, uploadLife(clock.now(), limits));
      if (upload) await refresh(upload);
    },

    async claim(tx, { accountId, workspaceId, uploadId, now }) {
      const upload = await findUpload(tx, { accountId, uploadId }, uploadLife(now, limits));
      if (!upload || upload.workspaceId !== workspaceId) throw new ApiError('upload_not_found');
      if (!upload.ready) throw new ApiError('upload_incomplete', { detail: { upload_id: uploadId } });
      await extendUpload(tx, uploadId, now + limits.upload_used_ms);
      return { workspaceId, project: upload.project };
    },

    async identity(accountId, uploadId) {
      const upload = await findAnyUpload(store, uploadId);
      return upload?.accountId === accountId ? `${upload.project}:${upload.manifestSha256}` : null;
    },

    find: (uploadId) => findAnyUpload(store, uploadId),

    async openManifest(uploadId, accountId) {
      const { manifestKey } = await held(uploadId, accountId);
      const scope = String(accountId);
      const stored = await manifests.stat(scope, manifestKey);
      return { size: stored?.size ?? 0, stream: await manifests.open(scope, manifestKey) };
    },

    contentsOf: async (uploadId, accountId) => (await named.of(await held(uploadId, accountId))).sizes,

    async openBlob(accountId, sha256) {
      const blob = await findBlob(store, accountId, sha256);
      if (!blob) throw new ApiError('not_found', { message: `${sha256} is not stored.` });
      return { size: blob.size, stream: await blobs.open(String(accountId), blob.blobKey) };
    },
  };
}
