// Deletes builds and logs that are past their retention.
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Selected } from '../../platform/store/table.js';
import type { BuildPlace } from './build-list.js';
import { builds } from './builds.js';
import { noteUnusedScripts } from './scripts.js';

const ids = builds.pick('buildId');

/** Builds of the account that ended at `endedBy` or before and have their log, oldest end first. */
export async function readExpiredLogs(
  q: Queries,
  of: { accountId: number; endedBy: number; limit: number },
): Promise<string[]> {
  const found = await ids.all(
    q,
    `WHERE account_id = :accountId AND log_deleted_at IS NULL AND ended_at IS NOT NULL AND ended_at <= :endedBy
     ORDER BY ended_at LIMIT :limit`,
    of,
  );
  return found.map(({ buildId }) => buildId);
}

export async function markLogsDeleted(tx: Transaction, buildIds: readonly string[], now: number): Promise<void> {
  for (const { list, params } of inChunks(buildIds)) {
    await tx.run(`UPDATE builds SET log_deleted_at = :now WHERE build_id IN (${list})`, { ...params, now });
  }
}

const expired = builds.pick('buildId', 'createdAt', 'seq');
export type ExpiredBuild = Selected<typeof expired>;

/**
 * Builds of the account that ended at `endedBy` or before and have no artifacts, after the position `after`, oldest
 * first.
 */
export function readExpiredBuilds(
  q: Queries,
  of: { accountId: number; endedBy: number; after: BuildPlace; limit: number },
): Promise<ExpiredBuild[]> {
  const { accountId, endedBy, after, limit } = of;
  return expired.all(
    q,
    `WHERE account_id = :accountId AND created_at <= :endedBy AND (created_at, seq) > (:createdAt, :seq)
       AND ended_at <= :endedBy
       AND NOT EXISTS (SELECT 1 FROM files f WHERE f.build_id = builds.build_id)
     ORDER BY created_at, seq LIMIT :limit`,
    { accountId, endedBy, limit, createdAt: after.createdAt, seq: after.seq },
  );
}

const scriptOfBuild = builds.pick('scriptId');

export async function deleteBuilds(tx: Transaction, buildIds: readonly string[], now: number): Promise<void> {
  const scriptIds = new Set<number>();
  for (const { list, params } of inChunks(buildIds)) {
    const gone = await scriptOfBuild.allOf(
      tx,
      `DELETE FROM builds WHERE build_id IN (${list}) RETURNING ${scriptOfBuild.columns}`,
      params,
    );
    for (const { scriptId } of gone) scriptIds.add(scriptId);
  }
  await noteUnusedScripts(tx, scriptIds, now);
}

/** Which of these builds exist and have their log. */
export async function buildsWithLogs(q: Queries, buildIds: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const { list, params } of inChunks(buildIds)) {
    const found = await ids.all(q, `WHERE build_id IN (${list}) AND log_deleted_at IS NULL`, params);
    for (const { buildId } of found) known.add(buildId);
  }
  return known;
}
