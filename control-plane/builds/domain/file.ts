// What a workspace keeps: uploaded folders and artifacts of builds.

export type FileKind = 'upload' | 'artifact';

/** Times in ms since the epoch. */
export interface WorkspaceFile {
  readonly fileId: string;
  readonly kind: FileKind;
  /** An upload's project; an artifact's path below CIDERMILL_ARTIFACTS. */
  readonly name: string;
  readonly bytes: number;
  /** Of an artifact. */
  readonly buildId: string | null;
  readonly createdAt: number;
  /** Null while a build that has not ended holds it. */
  readonly expiresAt: number | null;
  /** An upload that a build uses which has not ended. */
  readonly inUse: boolean;
}

/** A file that a build left behind. */
export interface Artifact {
  readonly fileId: string;
  readonly accountId: number;
  readonly workspaceId: string;
  readonly buildId: string;
  readonly attempt: number;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Names the stored bytes. */
  readonly key: string;
  readonly createdAt: number;
}
