// A folder that a client sent: its manifest, and whether all contents that it names are here.
import { bool, int, type RecordOf, text } from '../../platform/domain/fields.js';

/** Times in ms since the epoch. */
export const uploadFields = {
  uploadId: text(),
  accountId: int(),
  workspaceId: text(),
  /** Rises with acceptance, within the account. */
  seq: int(),
  project: text(),
  manifestSha256: text(),
  /** Names the stored manifest. */
  manifestKey: text(),
  /** Regular files. */
  files: int(),
  totalBytes: int(),
  /** Everything is here, and stays here while the upload lives. */
  ready: bool(),
  createdAt: int(),
};
export type Upload = RecordOf<typeof uploadFields>;

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
