// Uploads as files that a workspace keeps, with the time until which they are kept.
import { bool, int } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries } from '../../platform/store/sql.js';
import type { KeptUpload, UploadLife } from '../domain/upload.js';
import { UPLOAD_IN_USE, UPLOAD_LIVES, uploads } from './uploads.js';

const kept = uploads.pick('uploadId', 'project', 'totalBytes', 'createdAt', 'expiresAt').and({
  /** When the last build that used it ended. */
  lastEnd: ['(SELECT MAX(b.ended_at) FROM builds b WHERE b.upload_id = uploads.upload_id)', int().orNull],
  inUse: [`CASE WHEN ${UPLOAD_IN_USE} THEN 1 ELSE 0 END`, bool()],
});

/** Newest first; with `after` null from the newest. */
export async function listKeptUploads(
  q: Queries,
  of: { accountId: number; workspaceId: string },
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  life: UploadLife,
): Promise<KeptUpload[]> {
  const rows = await kept.all(
    q,
    `WHERE workspace_id = :workspaceId AND account_id = :accountId AND ${UPLOAD_LIVES}
       AND (:afterAt IS NULL OR created_at < :afterAt OR (created_at = :afterAt AND upload_id < :afterId))
     ORDER BY created_at DESC, upload_id DESC LIMIT :limit`,
    {
      ...of,
      ...life,
      limit: page.limit,
      afterAt: page.after?.createdAt ?? null,
      afterId: page.after?.fileId ?? null,
    },
  );
  const keptAfterUse = life.now - life.usedSince;
  return rows.map(({ lastEnd, expiresAt, ...upload }) => ({
    ...upload,
    expiresAt: upload.inUse ? null : Math.max(expiresAt, (lastEnd ?? 0) + keptAfterUse),
  }));
}

/** Bytes of all uploads that the workspace keeps. */
export const sumKeptUploads = (
  q: Queries,
  of: { accountId: number; workspaceId: string },
  life: UploadLife,
): Promise<number> =>
  readCount(
    q,
    `SELECT SUM(total_bytes) AS bytes FROM uploads
     WHERE workspace_id = :workspaceId AND account_id = :accountId AND ${UPLOAD_LIVES}`,
    { ...of, ...life },
  );
