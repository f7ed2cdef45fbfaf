// Artifacts of builds. Their retention begins at the end of their build.

import { int } from '../../platform/domain/fields.js';
import { addUsage, addUsageOf } from '../../platform/store/account-usage.js';
import type { ContentPlaces } from '../../platform/store/content-places.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, SqlParams, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type Artifact, artifactFields } from '../domain/file.js';

export const artifacts = table('files', artifactFields);

export async function insertArtifact(tx: Transaction, artifact: Artifact): Promise<void> {
  await artifacts.insert(tx, artifact);
  await addUsage(tx, artifact.accountId, 'artifactsBytes', artifact.bytes);
}

/**
 * SQL: an artifact of a build `b` is visible; `:endedSince` is the earliest end of a build whose artifacts are kept.
 */
export const ARTIFACT_LIVES = `(files.attempt = b.attempt AND (b.ended_at IS NULL OR b.ended_at > :endedSince))`;

export function findArtifactByName(
  db: Queries,
  of: { buildId: string; attempt: number; name: string },
): Promise<Artifact | null> {
  return artifacts.get(db, 'WHERE build_id = :buildId AND attempt = :attempt AND name = :name', of);
}

export function findArtifact(db: Queries, fileId: string, endedSince: number): Promise<Artifact | null> {
  return artifacts.get(
    db,
    `JOIN builds b ON b.build_id = files.build_id WHERE files.file_id = :fileId AND ${ARTIFACT_LIVES}`,
    { fileId, endedSince },
  );
}

/** Returns the number and total size of the attempt's artifacts so far. */
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

/** Returns false if it no longer exists. */
export async function deleteArtifact(tx: Transaction, fileId: string): Promise<boolean> {
  const gone = await deleteArtifacts(tx, `DELETE FROM files WHERE file_id = :fileId RETURNING ${removed.columns}`, {
    fileId,
  });
  return gone.length > 0;
}

const removed = artifacts.pick('accountId', 'blobKey', 'bytes');
export type RemovedArtifact = Selected<typeof removed>;

/** Deletes artifacts by a statement that returns `removed.columns`. */
async function deleteArtifacts(tx: Transaction, sql: string, params: SqlParams): Promise<RemovedArtifact[]> {
  const gone = await removed.allOf(tx, sql, params);
  const bytes = gone.map(({ accountId, bytes }) => ({ accountId, bytes: -bytes }));
  await addUsageOf(tx, 'artifactsBytes', bytes);
  return gone;
}

/** Removes up to `limit` artifacts that are no longer visible; returns where their bytes are stored. */
export function deleteExpiredArtifacts(tx: Transaction, endedSince: number, limit: number): Promise<RemovedArtifact[]> {
  return deleteArtifacts(
    tx,
    `DELETE FROM files WHERE file_id IN (
       SELECT f.file_id FROM files f JOIN builds b ON b.build_id = f.build_id
       WHERE f.created_at <= :endedSince AND b.ended_at <= :endedSince ORDER BY f.created_at LIMIT :limit)
     RETURNING ${removed.columns}`,
    { endedSince, limit },
  );
}

/** Returns the keys that an artifact's content is stored under. */
export async function knownArtifactKeys(db: Queries, keys: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { list, params } of inChunks(keys)) {
    const rows = await db.all<{ blob_key: string }>(`SELECT blob_key FROM files WHERE blob_key IN (${list})`, params);
    for (const row of rows) known.add(row.blob_key);
  }
  return known;
}

/** With the end of its build. */
const kept = artifacts.and({ buildEndedAt: ['b.ended_at', int().orNull] });
export type KeptArtifact = Selected<typeof kept>;

/** Visible artifacts of a workspace, newest first; `after` null begins with the newest. */
export function listArtifacts(
  q: Queries,
  of: { accountId: number; workspaceId: string; buildId: string | null },
  page: { after: { createdAt: number; fileId: string } | null; limit: number },
  endedSince: number,
): Promise<KeptArtifact[]> {
  return kept.all(
    q,
    `JOIN builds b ON b.build_id = files.build_id
     WHERE files.workspace_id = :workspaceId AND files.account_id = :accountId AND ${ARTIFACT_LIVES}
       AND (:buildId IS NULL OR files.build_id = :buildId)
       AND (:afterAt IS NULL OR files.created_at < :afterAt
         OR (files.created_at = :afterAt AND files.file_id < :afterId))
     ORDER BY files.created_at DESC, files.file_id DESC LIMIT :limit`,
    {
      ...of,
      endedSince,
      limit: page.limit,
      afterAt: page.after?.createdAt ?? null,
      afterId: page.after?.fileId ?? null,
    },
  );
}

/** Bytes of all visible artifacts of a workspace. */
export const sumArtifacts = (
  q: Queries,
  of: { accountId: number; workspaceId: string },
  endedSince: number,
): Promise<number> =>
  readCount(
    q,
    `SELECT SUM(files.bytes) AS bytes FROM files JOIN builds b ON b.build_id = files.build_id
     WHERE files.workspace_id = :workspaceId AND files.account_id = :accountId AND ${ARTIFACT_LIVES}`,
    { ...of, endedSince },
  );

const workspace = artifacts.pick('workspaceId');

/** The workspace of an artifact, also of one that is no longer visible; null when there is none. */
export async function workspaceOfArtifact(q: Queries, fileId: string): Promise<string | null> {
  return (await workspace.get(q, 'WHERE file_id = :fileId', { fileId }))?.workspaceId ?? null;
}

/** Bytes of all artifacts of these builds. */
export async function bytesOfArtifacts(q: Queries, buildIds: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const { list, params } of inChunks(buildIds)) {
    const row = await q.get<{ bytes: number | null }>(
      `SELECT SUM(bytes) AS bytes FROM files WHERE build_id IN (${list})`,
      params,
    );
    bytes += row?.bytes ?? 0;
  }
  return bytes;
}

const places = artifacts.pick('accountId', 'fileId', 'blobKey');

/** Where the artifacts of all accounts are, in the order of their ids. */
export async function* eachArtifactKey(q: Queries, limit: number): AsyncGenerator<ContentPlaces, void, undefined> {
  let after = '';
  for (let page = limit; page === limit; ) {
    const found = await places.all(q, 'WHERE file_id > :after ORDER BY file_id LIMIT :limit', { after, limit });
    if (found.length > 0) yield found.map(({ accountId, blobKey }) => ({ accountId, key: blobKey }));
    after = found.at(-1)?.fileId ?? after;
    page = found.length;
  }
}

export const countArtifacts = (q: Queries): Promise<number> => readCount(q, 'SELECT COUNT(*) AS count FROM files');
