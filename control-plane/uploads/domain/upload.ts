// A folder that a client sent: its manifest, and whether all contents that it names are here.

/** Times in ms since the epoch. */
export interface Upload {
  readonly uploadId: string;
  readonly accountId: number;
  readonly workspaceId: string;
  /** Rises with acceptance, within the account. */
  readonly seq: number;
  readonly project: string;
  readonly manifestSha256: string;
  /** Names the stored manifest. */
  readonly manifestKey: string;
  /** Regular files. */
  readonly files: number;
  readonly totalBytes: number;
  /** Everything is here, and stays here while the upload lives. */
  readonly ready: boolean;
  readonly createdAt: number;
}

/** An upload as a file that its workspace keeps. */
export interface KeptUpload extends Pick<Upload, 'uploadId' | 'project' | 'totalBytes' | 'createdAt'> {
  /** A build that has not ended uses it. */
  readonly inUse: boolean;
  /** Null while it is in use. */
  readonly expiresAt: number | null;
}

/**
 * What keeps an upload alive at a moment: it was made or fed after `unusedSince`, a build that uses it has not
 * ended, or ended after `usedSince`.
 */
export interface UploadLife {
  readonly now: number;
  readonly usedSince: number;
}

export function uploadLife(now: number, limits: { upload_used_ms: number }): UploadLife {
  return { now, usedSince: now - limits.upload_used_ms };
}
