// Uploads as files that a workspace keeps, with the time until which they are kept.
import type { Queries } from '../../platform/store/sql.js';
import type { KeptUpload, UploadLife } from '../domain/upload.js';
import { UPLOAD_IN_USE, UPLOAD_LIVES } from './uploads.js';

interface Row {
  upload_id: string;
  project: string;
  total_bytes: number;
  created_at: number;
  expires_at: number;
  /** When the last build that used it ended. */
  last_end: number | null;
  in_use: number;
}

/** Newest first; `after` null begins with the newest. */
export async function listKeptUploads(
  q: Queries,
  of: { accountId: number; workspaceId: string },
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  life: UploadLife,
): Promise<KeptUpload[]> {
  const rows = await q.all<Row>(
    `SELECT u.upload_id, u.project, u.total_bytes, u.created_at, u.expires_at,
       (SELECT MAX(b.ended_at) FROM builds b WHERE b.upload_id = u.upload_id) AS last_end,
       CASE WHEN ${UPLOAD_IN_USE} THEN 1 ELSE 0 END AS in_use
     FROM uploads u WHERE u.workspace_id = :workspaceId AND u.account_id = :accountId AND ${UPLOAD_LIVES}
       AND (:afterAt IS NULL OR u.created_at < :afterAt OR (u.created_at = :afterAt AND u.upload_id < :afterId))
     ORDER BY u.created_at DESC, u.upload_id DESC LIMIT :limit`,
    {
      ...{ ...of, ...life, limit: page.limit },
      ...{ afterAt: page.after?.createdAt ?? null, afterId: page.after?.fileId ?? null },
    },
  );
  const keptAfterUse = life.now - life.usedSince;
  return rows.map((row) => ({
    uploadId: row.upload_id,
    project: row.project,
    totalBytes: row.total_bytes,
    createdAt: row.created_at,
    inUse: row.in_use === 1,
    expiresAt: row.in_use === 1 ? null : Math.max(row.expires_at, (row.last_end ?? 0) + keptAfterUse),
  }));
}

/** Bytes of all uploads that the workspace keeps. */
export async function sumKeptUploads(
  q: Queries,
  of: { accountId: number; workspaceId: string },
  life: UploadLife,
): Promise<number> {
  const row = await q.get<{ bytes: number | null }>(
    `SELECT SUM(u.total_bytes) AS bytes FROM uploads u
     WHERE u.workspace_id = :workspaceId AND u.account_id = :accountId AND ${UPLOAD_LIVES}`,
    { ...of, ...life },
  );
  return row?.bytes ?? 0;
}
