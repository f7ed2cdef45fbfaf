import { int } from '../../platform/domain/fields.js';
import { addUsage, addUsageOf } from '../../platform/store/account-usage.js';
import type { ContentPlaces } from '../../platform/store/content-places.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, SqlParams, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Upload, type UploadLife, uploadFields } from '../domain/upload.js';

export const uploads = table('uploads', uploadFields, {
  /** When it expires if no build uses it, ms. */
  expiresAt: int(),
  /** Size of the stored manifest, bytes; 0 for uploads that are older than the ledger. */
  manifestBytes: int().initially(0),
});

/** SQL: an upload has not expired; parameters of UploadLife. */
export const UPLOAD_LIVES = `(uploads.expires_at > :now OR EXISTS (
  SELECT 1 FROM builds b WHERE b.upload_id = uploads.upload_id AND (b.ended_at IS NULL OR b.ended_at > :usedSince)))`;

/** SQL: a build that has not ended uses the upload. */
export const UPLOAD_IN_USE =
  'EXISTS (SELECT 1 FROM builds b WHERE b.upload_id = uploads.upload_id AND b.ended_at IS NULL)';

export async function insertUpload(
  tx: Transaction,
  upload: Upload,
  { expiresAt, manifestBytes }: { expiresAt: number; manifestBytes: number },
): Promise<void> {
  await uploads.insert(tx, { ...upload, expiresAt, manifestBytes });
  await addUsage(tx, upload.accountId, 'contentsBytes', manifestBytes);
}

export function findUpload(
  db: Queries,
  { accountId, uploadId }: { accountId: number; uploadId: string },
  life: UploadLife,
): Promise<Upload | null> {
  return uploads.get(db, `WHERE upload_id = :uploadId AND account_id = :accountId AND ${UPLOAD_LIVES}`, {
    uploadId,
    accountId,
    ...life,
  });
}

/** The caller must already know that the upload belongs to it, e.g. by the build that holds it. */
export function findAnyUpload(db: Queries, uploadId: string): Promise<Upload | null> {
  return uploads.get(db, 'WHERE upload_id = :uploadId', { uploadId });
}

/** False when the upload no longer exists. */
export async function setUploadReady(tx: Transaction, uploadId: string): Promise<boolean> {
  return (await uploads.update(tx, { uploadId }, { ready: true })) > 0;
}

/** Extends the upload's life to at least `expiresAt`; false when it no longer exists. */
export async function extendUpload(tx: Transaction, uploadId: string, expiresAt: number): Promise<boolean> {
  const { changes } = await tx.run(
    `UPDATE uploads SET expires_at = CASE WHEN expires_at > :expiresAt THEN expires_at ELSE :expiresAt END
     WHERE upload_id = :uploadId`,
    { uploadId, expiresAt },
  );
  return changes > 0;
}

const removed = uploads.pick('accountId', 'manifestKey', 'manifestBytes');
export type RemovedUpload = Selected<typeof removed>;

/** Deletes uploads by a statement that returns `removed.columns`. */
async function deleteUploads(tx: Transaction, sql: string, params: SqlParams): Promise<RemovedUpload[]> {
  const gone = await removed.allOf(tx, sql, params);
  const bytes = gone.map(({ accountId, manifestBytes }) => ({ accountId, bytes: -manifestBytes }));
  await addUsageOf(tx, 'contentsBytes', bytes);
  return gone;
}

/** Removes up to `limit` expired uploads. */
export function deleteExpiredUploads(tx: Transaction, life: UploadLife, limit: number): Promise<RemovedUpload[]> {
  return deleteUploads(
    tx,
    `DELETE FROM uploads WHERE upload_id IN (
       SELECT upload_id FROM uploads WHERE expires_at <= :now AND NOT ${UPLOAD_LIVES}
       ORDER BY expires_at LIMIT :limit)
     RETURNING ${removed.columns}`,
    { ...life, limit },
  );
}

/** Null when the upload no longer exists, or a build that has not ended uses it. */
export async function deleteUnusedUpload(tx: Transaction, uploadId: string): Promise<RemovedUpload | null> {
  const [gone] = await deleteUploads(
    tx,
    `DELETE FROM uploads WHERE upload_id = :uploadId AND NOT ${UPLOAD_IN_USE} RETURNING ${removed.columns}`,
    { uploadId },
  );
  return gone ?? null;
}

/** Marks that the account's uploads must be checked for completeness again. */
export async function distrustUploads(tx: Transaction, accountId: number): Promise<void> {
  await uploads.update(tx, { accountId }, { ready: false });
}

/** Removes the uploads with these manifests, except those used by a build that has not ended. */
export async function deleteLostUploads(tx: Transaction, manifestKeys: readonly string[]): Promise<void> {
  for (const { list, params } of inChunks(manifestKeys)) {
    await deleteUploads(
      tx,
      `DELETE FROM uploads WHERE manifest_key IN (${list}) AND NOT ${UPLOAD_IN_USE}
       RETURNING ${removed.columns}`,
      params,
    );
  }
}

const manifests = uploads.pick('manifestSha256', 'manifestKey');

/** The manifests of an account's uploads after `afterSeq`. */
export async function listManifests(
  db: Queries,
  accountId: number,
  afterSeq: number,
): Promise<{ sha256: string; key: string }[]> {
  const rows = await manifests.all(db, 'WHERE account_id = :accountId AND seq > :afterSeq ORDER BY seq', {
    accountId,
    afterSeq,
  });
  return rows.map(({ manifestSha256, manifestKey }) => ({ sha256: manifestSha256, key: manifestKey }));
}

/** The keys that refer to an upload's manifest. */
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

const manifestSizes = uploads.pick('seq', 'manifestBytes');

/** Sizes of the manifests of an account's uploads after `afterSeq`. */
export function pageManifestSizes(
  db: Queries,
  accountId: number,
  afterSeq: number,
  limit: number,
): Promise<Selected<typeof manifestSizes>[]> {
  return manifestSizes.all(db, 'WHERE account_id = :accountId AND seq > :afterSeq ORDER BY seq LIMIT :limit', {
    accountId,
    afterSeq,
    limit,
  });
}

const places = uploads.pick('accountId', 'uploadId', 'manifestKey');

/** Where the manifests of all accounts are, in the order of the uploads' ids. */
export async function* eachManifestKey(q: Queries, limit: number): AsyncGenerator<ContentPlaces, void, undefined> {
  let after = '';
  for (let page = limit; page === limit; ) {
    const found = await places.all(q, 'WHERE upload_id > :after ORDER BY upload_id LIMIT :limit', { after, limit });
    if (found.length > 0) yield found.map(({ accountId, manifestKey }) => ({ accountId, key: manifestKey }));
    after = found.at(-1)?.uploadId ?? after;
    page = found.length;
  }
}

export const countUploads = (q: Queries): Promise<number> => readCount(q, 'SELECT COUNT(*) AS count FROM uploads');
