// Everything a workspace keeps, uploads and artifacts, in one list.

import type { Queries } from '../../platform/store/sql.js';
import { UPLOAD_IN_USE, UPLOAD_LIVES } from '../../uploads/store/uploads.js';
import type { FileKind, WorkspaceFile } from '../domain/file.js';
import { ARTIFACT_LIVES } from './artifacts.js';

export interface FileFilter {
  readonly accountId: number;
  readonly workspaceId: string;
  readonly kind: FileKind | null;
  /** Only what this build left behind. */
  readonly buildId: string | null;
  /** Only what is listed behind this file. */
  readonly after: { readonly createdAt: number; readonly fileId: string } | null;
  readonly limit: number;
}

/** When things end: now, and how long each kind is kept behind the last build that had it. Milliseconds. */
export interface FileLife {
  readonly now: number;
  readonly uploadKeptMs: number;
  readonly artifactKeptMs: number;
}

interface Row {
  id: string;
  kind: FileKind;
  name: string;
  bytes: number;
  build_id: string | null;
  created_at: number;
  /** Of an upload that no build has used. */
  expires_at: number | null;
  /** When the last build that had it ended. */
  last_end: number | null;
  in_use: number;
}

const UPLOADS = `SELECT u.upload_id AS id, 'upload' AS kind, u.project AS name, u.total_bytes AS bytes,
    NULL AS build_id, u.created_at AS created_at, u.expires_at AS expires_at,
    (SELECT MAX(b.ended_at) FROM builds b WHERE b.upload_id = u.upload_id) AS last_end,
    CASE WHEN ${UPLOAD_IN_USE} THEN 1 ELSE 0 END AS in_use
  FROM uploads u WHERE u.workspace_id = :workspaceId AND u.account_id = :accountId AND ${UPLOAD_LIVES}`;

const ARTIFACTS = `SELECT f.file_id AS id, 'artifact' AS kind, f.name AS name, f.bytes AS bytes,
    f.build_id AS build_id, f.created_at AS created_at, NULL AS expires_at, b.ended_at AS last_end,
    0 AS in_use
  FROM files f JOIN builds b ON b.build_id = f.build_id
  WHERE f.workspace_id = :workspaceId AND f.account_id = :accountId AND ${ARTIFACT_LIVES}
    AND (:buildId IS NULL OR f.build_id = :buildId)`;

const behind = (created: string, id: string) =>
  `AND (:afterAt IS NULL OR ${created} < :afterAt OR (${created} = :afterAt AND ${id} < :afterId))
   ORDER BY ${created} DESC, ${id} DESC LIMIT :limit`;

const moments = ({ now, uploadKeptMs, artifactKeptMs }: FileLife) => ({
  now,
  usedSince: now - uploadKeptMs,
  endedSince: now - artifactKeptMs,
});

/** Newest first. */
export async function listFiles(db: Queries, filter: FileFilter, life: FileLife): Promise<WorkspaceFile[]> {
  const { accountId, workspaceId, kind, buildId, after, limit } = filter;
  const params = {
    ...moments(life),
    accountId,
    workspaceId,
    buildId,
    afterAt: after?.createdAt ?? null,
    afterId: after?.fileId ?? null,
    limit,
  };
  const parts: string[] = [];
  if (kind !== 'artifact' && buildId === null)
    parts.push(`${UPLOADS} ${behind('u.created_at', 'u.upload_id')}`);
  if (kind !== 'upload') parts.push(`${ARTIFACTS} ${behind('f.created_at', 'f.file_id')}`);
  if (parts.length === 0) return [];
  const union = parts.map((part, i) => `SELECT * FROM (${part}) AS p${i}`).join(' UNION ALL ');
  const rows = await db.all<Row>(
    `SELECT * FROM (${union}) AS every_file ORDER BY created_at DESC, id DESC LIMIT :limit`,
    params,
  );
  return rows.map((row) => fromRow(row, life));
}

/** Bytes of everything that lives in the workspace. */
export async function totalFileBytes(
  db: Queries,
  { accountId, workspaceId }: { accountId: number; workspaceId: string },
  life: FileLife,
): Promise<number> {
  const row = await db.get<{ bytes: number | null }>(
    `SELECT SUM(bytes) AS bytes FROM (
       SELECT u.total_bytes AS bytes FROM uploads u
       WHERE u.workspace_id = :workspaceId AND u.account_id = :accountId AND ${UPLOAD_LIVES}
       UNION ALL
       SELECT f.bytes AS bytes FROM files f JOIN builds b ON b.build_id = f.build_id
       WHERE f.workspace_id = :workspaceId AND f.account_id = :accountId AND ${ARTIFACT_LIVES}) AS every_file`,
    { accountId, workspaceId, ...moments(life) },
  );
  return row?.bytes ?? 0;
}

function fromRow(row: Row, { uploadKeptMs, artifactKeptMs }: FileLife): WorkspaceFile {
  const kept = row.kind === 'upload' ? uploadKeptMs : artifactKeptMs;
  const behindBuild = row.last_end === null ? null : row.last_end + kept;
  const expiresAt = Math.max(row.expires_at ?? 0, behindBuild ?? 0);
  return {
    fileId: row.id,
    kind: row.kind,
    name: row.name,
    bytes: row.bytes,
    buildId: row.build_id,
    createdAt: row.created_at,
    expiresAt: row.in_use === 1 || expiresAt === 0 ? null : expiresAt,
    inUse: row.in_use === 1,
  };
}

/** Whether it still lives is not looked at. */
export async function findFileWorkspace(db: Queries, fileId: string): Promise<string | null> {
  const row = await db.get<{ workspace_id: string }>(
    `SELECT workspace_id FROM uploads WHERE upload_id = :fileId
     UNION ALL SELECT workspace_id FROM files WHERE file_id = :fileId LIMIT 1`,
    { fileId },
  );
  return row?.workspace_id ?? null;
}
