// An upload: the manifest of a client's folder, and whether all its contents are stored.
import { bool, int, type RecordOf, text } from '../../platform/domain/fields.js';

/** Times in ms since the epoch. */
export const uploadFields = {
  uploadId: text(),
  accountId: int(),
  workspaceId: text(),
  /** Increases with each accepted upload of the account. */
  seq: int(),
  project: text(),
  manifestSha256: text(),
  /** Key of the stored manifest. */
  manifestKey: text(),
  /** Regular files. */
  files: int(),
  totalBytes: int(),
  /** All contents are stored, and stay stored while the upload lives. */
  ready: bool(),
  createdAt: int(),
};
export type Upload = RecordOf<typeof uploadFields>;

/** An upload as a file of its workspace. */
export interface KeptUpload extends Pick<Upload, 'uploadId' | 'project' | 'totalBytes' | 'createdAt'> {
  /** A build that has not ended uses it. */
  readonly inUse: boolean;
  /** Null while it is in use. */
  readonly expiresAt: number | null;
}

/**
 * The conditions that keep an upload alive: created or extended after `unusedSince`, or used by a build that has not
 * ended or ended after `usedSince`.
 */
export interface UploadLife {
  readonly now: number;
  readonly usedSince: number;
}

export function uploadLife(now: number, limits: { upload_used_ms: number }): UploadLife {
  return { now, usedSince: now - limits.upload_used_ms };
}
