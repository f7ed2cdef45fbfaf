import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Upload, UploadLife } from '../domain/upload.js';

interface Row {
  upload_id: string;
  account_id: number;
  workspace_id: string;
  seq: number;
  project: string;
  manifest_sha256: string;
  manifest_key: string;
  files: number;
  total_bytes: number;
  ready: number;
  created_at: number;
}

const fromRow = (row: Row): Upload => ({
  uploadId: row.upload_id,
  accountId: row.account_id,
  workspaceId: row.workspace_id,
  seq: row.seq,
  project: row.project,
  manifestSha256: row.manifest_sha256,
  manifestKey: row.manifest_key,
  files: row.files,
  totalBytes: row.total_bytes,
  ready: row.ready === 1,
  createdAt: row.created_at,
});

const COLUMNS = `u.upload_id, u.account_id, u.workspace_id, u.seq, u.project, u.manifest_sha256, u.manifest_key,
  u.files, u.total_bytes, u.ready, u.created_at`;

/** An upload `u` lives; parameters of UploadLife. */
export const UPLOAD_LIVES = `(u.expires_at > :now OR EXISTS (
  SELECT 1 FROM builds b WHERE b.upload_id = u.upload_id AND (b.ended_at IS NULL OR b.ended_at > :usedSince)))`;

/** A build that has not ended uses the upload `u`. */
export const UPLOAD_IN_USE =
  'EXISTS (SELECT 1 FROM builds b WHERE b.upload_id = u.upload_id AND b.ended_at IS NULL)';

export async function insertUpload(tx: Transaction, upload: Upload, expiresAt: number): Promise<void> {
  await tx.run(
    `INSERT INTO uploads (upload_id, account_id, workspace_id, seq, project, manifest_sha256, manifest_key,
       files, total_bytes, ready, expires_at, created_at)
     VALUES (:uploadId, :accountId, :workspaceId, :seq, :project, :manifestSha256, :manifestKey,
       :files, :totalBytes, :ready, :expiresAt, :createdAt)`,
    { ...upload, ready: upload.ready ? 1 : 0, expiresAt },
  );
}

export async function findUpload(
  db: Queries,
  { accountId, uploadId }: { accountId: number; uploadId: string },
  life: UploadLife,
): Promise<Upload | null> {
  const row = await db.get<Row>(
    `SELECT ${COLUMNS} FROM uploads u
     WHERE u.upload_id = :uploadId AND u.account_id = :accountId AND ${UPLOAD_LIVES}`,
    { uploadId, accountId, ...life },
  );
  return row ? fromRow(row) : null;
}

/** Whoever asks must already know that the upload is meant for it, e.g. by the build that holds it. */
export async function findAnyUpload(db: Queries, uploadId: string): Promise<Upload | null> {
  const row = await db.get<Row>(`SELECT ${COLUMNS} FROM uploads u WHERE u.upload_id = :uploadId`, {
    uploadId,
  });
  return row ? fromRow(row) : null;
}

/** False when the upload is gone. */
export async function setUploadReady(tx: Transaction, uploadId: string): Promise<boolean> {
  const { changes } = await tx.run('UPDATE uploads SET ready = 1 WHERE upload_id = :uploadId', { uploadId });
  return changes > 0;
}

/** Lets the upload live at least until `expiresAt`; false when it is gone. */
export async function extendUpload(tx: Transaction, uploadId: string, expiresAt: number): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE uploads SET expires_at = CASE WHEN expires_at > :expiresAt THEN expires_at ELSE :expiresAt END
     WHERE upload_id = :uploadId`,
    { uploadId, expiresAt },
  );
  return changes > 0;
}

export interface RemovedUpload {
  readonly accountId: number;
  readonly manifestKey: string;
}

interface RemovedRow {
  account_id: number;
  manifest_key: string;
}

const fromRemovedRow = (row: RemovedRow): RemovedUpload => ({
  accountId: row.account_id,
  manifestKey: row.manifest_key,
});

/** Removes up to `limit` uploads whose life is over. */
export async function deleteExpiredUploads(
  tx: Transaction,
  life: UploadLife,
  limit: number,
): Promise<RemovedUpload[]> {
  const rows = await tx.all<RemovedRow>(
    `DELETE FROM uploads WHERE upload_id IN (
       SELECT u.upload_id FROM uploads u WHERE u.expires_at <= :now AND NOT ${UPLOAD_LIVES}
       ORDER BY u.expires_at LIMIT :limit)
     RETURNING account_id, manifest_key`,
    { ...life, limit },
  );
  return rows.map(fromRemovedRow);
}

/** Null when the upload is gone, or a build that has not ended uses it. */
export async function deleteUnusedUpload(tx: Transaction, uploadId: string): Promise<RemovedUpload | null> {
  const row = await tx.get<RemovedRow>(
    `DELETE FROM uploads WHERE upload_id IN (
       SELECT u.upload_id FROM uploads u WHERE u.upload_id = :uploadId AND NOT ${UPLOAD_IN_USE})
     RETURNING account_id, manifest_key`,
    { uploadId },
  );
  return row ? fromRemovedRow(row) : null;
}

/** Whether the account's uploads are complete has to be looked at again. */
export async function distrustUploads(tx: Transaction, accountId: number): Promise<void> {
  await tx.run('UPDATE uploads SET ready = 0 WHERE account_id = :accountId', { accountId });
}

/** Removes the uploads with these manifests, but for those that a build which has not ended uses. */
export async function deleteLostUploads(tx: Transaction, manifestKeys: readonly string[]): Promise<void> {
  for (const { list, params } of inChunks(manifestKeys)) {
    await tx.run(
      `DELETE FROM uploads WHERE upload_id IN (
         SELECT u.upload_id FROM uploads u WHERE u.manifest_key IN (${list}) AND NOT ${UPLOAD_IN_USE})`,
      params,
    );
  }
}

/** The manifests of an account's uploads behind `afterSeq`. */
export async function listManifests(
  db: Queries,
  accountId: number,
  afterSeq: number,
): Promise<{ sha256: string; key: string }[]> {
  const rows = await db.all<{ manifest_sha256: string; manifest_key: string }>(
    `SELECT manifest_sha256, manifest_key FROM uploads WHERE account_id = :accountId AND seq > :afterSeq
     ORDER BY seq`,
    { accountId, afterSeq },
  );
  return rows.map((row) => ({ sha256: row.manifest_sha256, key: row.manifest_key }));
}

/** Those of the keys that stand for an upload's manifest. */
export async function knownManifestKeys(db: Queries, keys: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { list, params } of inChunks(keys)) {
    const rows = await db.all<{ manifest_key: string }>(
      `SELECT manifest_key FROM uploads WHERE manifest_key IN (${list})`,
      params,
    );
    for (const row of rows) known.add(row.manifest_key);
  }
  return known;
}
