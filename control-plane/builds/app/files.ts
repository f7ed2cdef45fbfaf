// What a workspace keeps, as one list: uploads and artifacts; looked at, handed out, deleted.
import type { Clock } from '../../../shared/clock.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { deleteManifests } from '../../uploads/app/upload-expiry.js';
import { type Upload, uploadLife } from '../../uploads/domain/upload.js';
import { noteGarbage } from '../../uploads/store/blob-accounts.js';
import { deleteUnusedUpload, findUpload } from '../../uploads/store/uploads.js';
import type { Artifact, FileKind, WorkspaceFile } from '../domain/file.js';
import { deleteArtifact, findArtifact } from '../store/artifacts.js';
import { type FileFilter, findFileWorkspace, listFiles, totalFileBytes } from '../store/files.js';
import type { Artifacts, Download } from './artifacts.js';

export interface FilesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly contents: Pick<Contents, 'manifests' | 'artifacts'>;
  readonly artifacts: Pick<Artifacts, 'ticket' | 'open'>;
}

export interface FilePage {
  readonly files: readonly WorkspaceFile[];
  /** Behind which file the next page begins; null on the last. */
  readonly next: FileFilter['after'];
  /** Of everything that lives in the workspace. */
  readonly totalBytes: number;
}

/** A file of another workspace does not exist: `not_found`. */
export interface Files {
  list(
    caller: Caller,
    query: { kind: FileKind | null; buildId: string | null; after: FileFilter['after']; limit: number },
  ): Promise<FilePage>;
  /** @throws ApiError `not_found`, `file_in_use` */
  remove(caller: Caller, fileId: string): Promise<void>;
  /** What the address of a download ends with, and until when it holds. */
  ticket(caller: Caller, buildId: string, fileId: string): Promise<{ ticket: string; expiresAt: number }>;
  download(ticket: string): Promise<Download>;
  /** Null when there is no such file. */
  workspaceOf(fileId: string): Promise<string | null>;
}

export function createFiles(deps: FilesDeps): Files {
  const { store, clock, limits, contents, artifacts } = deps;

  const ownArtifact = async (caller: Caller, fileId: string): Promise<Artifact | null> => {
    const found = await findArtifact(store, fileId, clock.now() - limits.artifact_kept_ms);
    if (found?.accountId !== caller.account.id) return null;
    return found.workspaceId === caller.workspaceId ? found : null;
  };
  const ownUpload = async (caller: Caller, fileId: string): Promise<Upload | null> => {
    const life = uploadLife(clock.now(), limits);
    const found = await findUpload(store, { accountId: caller.account.id, uploadId: fileId }, life);
    return found?.workspaceId === caller.workspaceId ? found : null;
  };

  const removeArtifact = async ({ fileId, accountId, key }: Artifact) => {
    await store.transaction((tx) => deleteArtifact(tx, fileId));
    await contents.artifacts.delete(String(accountId), key);
  };
  const removeUpload = async ({ uploadId, accountId }: Upload) => {
    const removed = await store.transaction(async (tx) => {
      await noteGarbage(tx, accountId);
      return deleteUnusedUpload(tx, uploadId);
    });
    if (!removed) throw new ApiError('file_in_use');
    await deleteManifests(contents.manifests, [removed]);
  };

  return {
    async list(caller, query) {
      const life = {
        now: clock.now(),
        uploadKeptMs: limits.upload_used_ms,
        artifactKeptMs: limits.artifact_kept_ms,
      };
      const of = { accountId: caller.account.id, workspaceId: caller.workspaceId };
      const [found, totalBytes] = await Promise.all([
        listFiles(store, { ...query, ...of, limit: query.limit + 1 }, life),
        totalFileBytes(store, of, life),
      ]);
      const files = found.slice(0, query.limit);
      return { files, next: found.length > files.length ? (files.at(-1) ?? null) : null, totalBytes };
    },

    async remove(caller, fileId) {
      const artifact = await ownArtifact(caller, fileId);
      if (artifact) return removeArtifact(artifact);
      const upload = await ownUpload(caller, fileId);
      if (!upload) throw new ApiError('not_found');
      return removeUpload(upload);
    },

    async ticket(caller, buildId, fileId) {
      const artifact = await ownArtifact(caller, fileId);
      if (artifact?.buildId !== buildId) throw new ApiError('not_found');
      return artifacts.ticket(artifact);
    },

    async download(ticket) {
      const download = await artifacts.open(ticket);
      if (!download)
        throw new ApiError('not_found', { message: 'The address is not valid, or not any more.' });
      return download;
    },

    workspaceOf: (fileId) => findFileWorkspace(store, fileId),
  };
}
