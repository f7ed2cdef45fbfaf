// Artifacts of builds. They are kept for a time that begins with the end of their build.

import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Artifact } from '../domain/file.js';

interface Row {
  file_id: string;
  account_id: number;
  workspace_id: string;
  build_id: string;
  attempt: number;
  name: string;
  bytes: number;
  sha256: string;
  blob_key: string;
  created_at: number;
}

const fromRow = (row: Row): Artifact => ({
  fileId: row.file_id,
  accountId: row.account_id,
  workspaceId: row.workspace_id,
  buildId: row.build_id,
  attempt: row.attempt,
  name: row.name,
  bytes: row.bytes,
  sha256: row.sha256,
  key: row.blob_key,
  createdAt: row.created_at,
});

const COLUMNS = `f.file_id, f.account_id, f.workspace_id, f.build_id, f.attempt, f.name, f.bytes, f.sha256,
  f.blob_key, f.created_at`;

/** An artifact `f` of a build `b` is there to be seen; `:endedSince` is the oldest end that still keeps one. */
export const ARTIFACT_LIVES = `(f.attempt = b.attempt AND (b.ended_at IS NULL OR b.ended_at > :endedSince))`;

export async function insertArtifact(tx: Transaction, artifact: Artifact): Promise<void> {
  await tx.run(
    `INSERT INTO files (file_id, account_id, workspace_id, build_id, attempt, name, bytes, sha256, blob_key,
       created_at)
     VALUES (:fileId, :accountId, :workspaceId, :buildId, :attempt, :name, :bytes, :sha256, :key, :createdAt)`,
    { ...artifact },
  );
}

export async function findArtifactByName(
  db: Queries,
  { buildId, attempt, name }: { buildId: string; attempt: number; name: string },
): Promise<Artifact | null> {
  const row = await db.get<Row>(
    `SELECT ${COLUMNS} FROM files f
     WHERE f.build_id = :buildId AND f.attempt = :attempt AND f.name = :name`,
    { buildId, attempt, name },
  );
  return row ? fromRow(row) : null;
}

export async function findArtifact(
  db: Queries,
  fileId: string,
  endedSince: number,
): Promise<Artifact | null> {
  const row = await db.get<Row>(
    `SELECT ${COLUMNS} FROM files f JOIN builds b ON b.build_id = f.build_id
     WHERE f.file_id = :fileId AND ${ARTIFACT_LIVES}`,
    { fileId, endedSince },
  );
  return row ? fromRow(row) : null;
}

/** Count and bytes of what an attempt has left so far. */
export async function artifactTotals(
  db: Queries,
  { buildId, attempt }: { buildId: string; attempt: number },
): Promise<{ files: number; bytes: number }> {
  const row = await db.get<{ files: number; bytes: number | null }>(
    'SELECT COUNT(*) AS files, SUM(bytes) AS bytes FROM files WHERE build_id = :buildId AND attempt = :attempt',
    { buildId, attempt },
  );
  return { files: row?.files ?? 0, bytes: row?.bytes ?? 0 };
}

/** False when it is gone already. */
export async function deleteArtifact(tx: Transaction, fileId: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM files WHERE file_id = :fileId', { fileId });
  return changes > 0;
}

/** Removes up to `limit` artifacts that are there to be seen no more; names where their bytes lie. */
export async function deleteExpiredArtifacts(
  tx: Transaction,
  endedSince: number,
  limit: number,
): Promise<{ accountId: number; key: string }[]> {
  const rows = await tx.all<{ account_id: number; blob_key: string }>(
    `DELETE FROM files WHERE file_id IN (
       SELECT f.file_id FROM files f JOIN builds b ON b.build_id = f.build_id
       WHERE f.created_at <= :endedSince AND b.ended_at <= :endedSince ORDER BY f.created_at LIMIT :limit)
     RETURNING account_id, blob_key`,
    { endedSince, limit },
  );
  return rows.map((row) => ({ accountId: row.account_id, key: row.blob_key }));
}

/** Those of the keys that stand for an artifact's bytes. */
export async function knownArtifactKeys(db: Queries, keys: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { list, params } of inChunks(keys)) {
    const rows = await db.all<{ blob_key: string }>(
      `SELECT blob_key FROM files WHERE blob_key IN (${list})`,
      params,
    );
    for (const row of rows) known.add(row.blob_key);
  }
  return known;
}

/** An artifact with the end of its build. */
export type KeptArtifact = Artifact & { readonly buildEndedAt: number | null };

/** Artifacts that are there to be seen in a workspace, newest first; `after` null begins with the newest. */
export async function listArtifacts(
  q: Queries,
  of: { accountId: number; workspaceId: string; buildId: string | null },
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  endedSince: number,
): Promise<KeptArtifact[]> {
  const rows = await q.all<Row & { ended_at: number | null }>(
    `SELECT ${COLUMNS}, b.ended_at FROM files f JOIN builds b ON b.build_id = f.build_id
     WHERE f.workspace_id = :workspaceId AND f.account_id = :accountId AND ${ARTIFACT_LIVES}
       AND (:buildId IS NULL OR f.build_id = :buildId)
       AND (:afterAt IS NULL OR f.created_at < :afterAt OR (f.created_at = :afterAt AND f.file_id < :afterId))
     ORDER BY f.created_at DESC, f.file_id DESC LIMIT :limit`,
    {
      ...{ ...of, endedSince, limit: page.limit },
      ...{ afterAt: page.after?.createdAt ?? null, afterId: page.after?.fileId ?? null },
    },
  );
  return rows.map((row) => ({ ...fromRow(row), buildEndedAt: row.ended_at }));
}

/** Bytes of all artifacts that are there to be seen in a workspace. */
export async function sumArtifacts(
  q: Queries,
  of: { accountId: number; workspaceId: string },
  endedSince: number,
): Promise<number> {
  const row = await q.get<{ bytes: number | null }>(
    `SELECT SUM(f.bytes) AS bytes FROM files f JOIN builds b ON b.build_id = f.build_id
     WHERE f.workspace_id = :workspaceId AND f.account_id = :accountId AND ${ARTIFACT_LIVES}`,
    { ...of, endedSince },
  );
  return row?.bytes ?? 0;
}

/** The workspace of an artifact, also of one that is there to be seen no more; null when there is none. */
export async function workspaceOfArtifact(q: Queries, fileId: string): Promise<string | null> {
  const row = await q.get<{ workspace_id: string }>(
    'SELECT workspace_id FROM files WHERE file_id = :fileId',
    {
      fileId,
    },
  );
  return row?.workspace_id ?? null;
}
