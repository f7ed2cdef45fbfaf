// Files of a workspace: uploaded folders and artifacts of builds.
import { bool, int, type RecordOf, text } from '../../platform/domain/fields.js';
import type { KeptUpload } from '../../uploads/domain/upload.js';

export type FileKind = 'upload' | 'artifact';

/** Times in ms since the epoch. */
export interface WorkspaceFile {
  readonly fileId: string;
  readonly kind: FileKind;
  /** An upload's project; an artifact's path below CIDERMILL_ARTIFACTS. */
  readonly name: string;
  readonly bytes: number;
  /** Of an artifact; an upload has one for each of its files. */
  readonly sha256: string | null;
  /** Whether its owner may execute an artifact; false for an upload. */
  readonly executable: boolean;
  /** Of an artifact. */
  readonly buildId: string | null;
  readonly createdAt: number;
  /** Null while an unfinished build uses it. */
  readonly expiresAt: number | null;
  /** True for an upload that an unfinished build uses. */
  readonly inUse: boolean;
}

/** A file that a build produced. */
export const artifactFields = {
  fileId: text(),
  accountId: int(),
  workspaceId: text(),
  buildId: text(),
  attempt: int(),
  name: text(),
  bytes: int(),
  sha256: text(),
  executable: bool(),
  /** Key of the stored content. */
  blobKey: text(),
  createdAt: int(),
};
export type Artifact = RecordOf<typeof artifactFields>;

/** An artifact as a file of its workspace; it is kept for `keptMs` after its build has ended. */
export function artifactFile(
  artifact: Artifact & { readonly buildEndedAt: number | null },
  keptMs: number,
): WorkspaceFile {
  const { fileId, name, bytes, sha256, executable, buildId, createdAt, buildEndedAt } = artifact;
  const expiresAt = buildEndedAt === null ? null : buildEndedAt + keptMs;
  const what = { fileId, kind: 'artifact', name, bytes, sha256, executable } as const;
  return { ...what, buildId, createdAt, expiresAt, inUse: false };
}

export function uploadFile({ uploadId, project, totalBytes, ...rest }: KeptUpload): WorkspaceFile {
  const { createdAt, expiresAt, inUse } = rest;
  return {
    fileId: uploadId,
    kind: 'upload',
    name: project,
    bytes: totalBytes,
    sha256: null,
    executable: false,
    buildId: null,
    createdAt,
    expiresAt,
    inUse,
  };
}

/** Newest first; ties by the larger id. */
export function newestFirst(a: WorkspaceFile, b: WorkspaceFile): number {
  return b.createdAt - a.createdAt || (a.fileId < b.fileId ? 1 : -1);
}
