// Files of a workspace: uploads and artifacts in one list, which can be read, downloaded and deleted.
import { Readable } from 'node:stream';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Ticket } from '../../platform/app/tickets.js';
import type { Contents } from '../../platform/blobs/contents.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import {
  findKeptUpload,
  listKeptUploads,
  removeUpload,
  sumKeptUploads,
  workspaceOfUpload,
} from '../../uploads/app/kept-uploads.js';
import {
  type Artifact,
  artifactFile,
  type FileKind,
  newestFirst,
  uploadFile,
  type WorkspaceFile,
} from '../domain/file.js';
import { deleteArtifact, findArtifact, listArtifacts, sumArtifacts, workspaceOfArtifact } from '../store/artifacts.js';
import type { Artifacts, Download } from './artifacts.js';

export interface FilesDeps extends Pick<Core, 'store' | 'clock' | 'limits' | 'wake'> {
  readonly contents: Pick<Contents, 'manifests' | 'artifacts'>;
  readonly artifacts: Pick<Artifacts, 'ticket' | 'open' | 'read'>;
}

/** The file after which a page begins. */
export interface Position {
  readonly createdAt: number;
  readonly fileId: string;
}

export interface FilePage {
  readonly files: readonly WorkspaceFile[];
  /** The file after which the next page begins; null on the last page. */
  readonly next: Position | null;
  /** Total size of all files in the workspace, in bytes. */
  readonly totalBytes: number;
}

/** Throws `not_found`, also for a file of another workspace. */
export type Files = ReturnType<typeof createFiles>;

export function createFiles(deps: FilesDeps) {
  const { store, clock, limits, contents, artifacts } = deps;

  const ownArtifact = async (caller: Caller, fileId: string): Promise<Artifact | null> => {
    const found = await findArtifact(store, fileId, clock.now() - limits.artifact_kept_ms);
    if (found?.accountId !== caller.account.id) return null;
    return found.workspaceId === caller.workspaceId ? found : null;
  };
  const removeArtifact = async ({ fileId, accountId, blobKey }: Artifact, removed: InTransaction) => {
    await store.transaction(async (tx) => {
      await deleteArtifact(tx, fileId);
      await removed(tx);
    });
    await contents.artifacts.delete(String(accountId), blobKey);
  };

  return {
    async list(
      caller: Caller,
      {
        kind,
        buildId,
        after,
        limit,
      }: { kind: FileKind | null; buildId: string | null; after: Position | null; limit: number },
    ): Promise<FilePage> {
      const now = clock.now();
      const endedSince = now - limits.artifact_kept_ms;
      const of = { accountId: caller.account.id, workspaceId: caller.workspaceId };
      const page = { after, limit: limit + 1 };
      const [uploads, artifactsFound, uploadBytes, artifactBytes] = await Promise.all([
        kind === 'artifact' || buildId !== null ? [] : listKeptUploads(deps, of, page, now),
        kind === 'upload' ? [] : listArtifacts(store, { ...of, buildId }, page, endedSince),
        sumKeptUploads(deps, of, now),
        sumArtifacts(store, of, endedSince),
      ]);
      const found = [
        ...uploads.map(uploadFile),
        ...artifactsFound.map((one) => artifactFile(one, limits.artifact_kept_ms)),
      ].sort(newestFirst);
      const files = found.slice(0, limit);
      const next = found.length > limit ? (files.at(-1) ?? null) : null;
      return { files, next, totalBytes: uploadBytes + artifactBytes };
    },

    /** @throws ApiError `not_found`, `file_in_use` */
    async remove(caller: Caller, fileId: string, removed: InTransaction): Promise<void> {
      const artifact = await ownArtifact(caller, fileId);
      if (artifact) return removeArtifact(artifact, removed);
      const { account, workspaceId } = caller;
      const upload = await findKeptUpload(deps, { accountId: account.id, workspaceId }, fileId, clock.now());
      if (!upload) throw new ApiError('not_found');
      if (!(await removeUpload(deps, upload, removed))) throw new ApiError('file_in_use');
    },

    /** Returns the last part of a download address, and when it expires. */
    async ticket(caller: Caller, buildId: string, fileId: string): Promise<Ticket> {
      const artifact = await ownArtifact(caller, fileId);
      if (artifact?.buildId !== buildId) throw new ApiError('not_found');
      return artifacts.ticket(artifact);
    },

    /** @throws ApiError `not_found` */
    async download(ticket: string): Promise<Download> {
      const download = await artifacts.open(ticket);
      if (!download) throw new ApiError('not_found', { message: 'The address is not valid, or has expired.' });
      return download;
    },

    /**
     * Returns several artifacts of a build as one body; missing ones are marked as gone.
     *
     * @throws ApiError `not_found` if none of them exists
     */
    async contents(caller: Caller, buildId: string, fileIds: readonly string[]): Promise<Readable> {
      const found = new Map<string, Artifact>();
      for (const fileId of fileIds) {
        const artifact = await ownArtifact(caller, fileId);
        if (artifact?.buildId === buildId) found.set(fileId, artifact);
      }
      if (found.size === 0) throw new ApiError('not_found');
      return Readable.from(artifactContents(fileIds, found, artifacts.read), { objectMode: false });
    },

    /** Returns null if there is no such file. */
    async workspaceOf(fileId: string): Promise<string | null> {
      const [ofUpload, ofArtifact] = await Promise.all([
        workspaceOfUpload(store, fileId),
        workspaceOfArtifact(store, fileId),
      ]);
      return ofUpload ?? ofArtifact;
    },
  };
}

/**
 * Yields the records in the order of the ids. An artifact that is not in `found` becomes the line `<file_id> gone`.
 * Throws, after the records before it, if the content of one cannot be read.
 */
async function* artifactContents(
  fileIds: readonly string[],
  found: ReadonlyMap<string, Artifact>,
  read: (artifact: Artifact) => Promise<Readable>,
): AsyncGenerator<Buffer, void, undefined> {
  for (const fileId of fileIds) {
    const artifact = found.get(fileId);
    if (artifact === undefined) {
      yield Buffer.from(`${fileId} gone\n`);
      continue;
    }
    const stream = await read(artifact);
    yield Buffer.from(`${fileId} ${artifact.bytes}\n`);
    yield* stream as AsyncIterable<Buffer>;
  }
}
