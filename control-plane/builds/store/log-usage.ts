// The bytes of builds' logs in the ledger of their accounts: counted when a build has ended.
import { addUsage, addUsageOf } from '../../platform/store/account-usage.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Build } from '../domain/build.js';
import { bytesOfArtifacts } from './artifacts.js';
import { builds } from './builds.js';

/** Returns the bytes that logs of the account's other builds may use before they are counted. */
export const reservedForLogs = (q: Queries, accountId: number, exceptBuildId: string): Promise<number> =>
  readCount(
    q,
    `SELECT SUM(log_limit) AS bytes FROM builds
     WHERE account_id = :accountId AND log_limit IS NOT NULL AND build_id <> :exceptBuildId`,
    { accountId, exceptBuildId },
  );

const uncounted = builds.pick('buildId', 'accountId');

/** Ended builds whose logs are not counted, oldest first. */
export function readUncountedLogs(q: Queries, limit: number): Promise<Pick<Build, 'buildId' | 'accountId'>[]> {
  return uncounted.all(q, 'WHERE log_bytes IS NULL AND ended_at IS NOT NULL ORDER BY seq LIMIT :limit', {
    limit,
  });
}

/** Adds the log of an ended build to the ledger, once. */
export async function countLog(
  tx: Transaction,
  { buildId, accountId }: Pick<Build, 'buildId' | 'accountId'>,
  bytes: number,
): Promise<void> {
  const counted = await builds.update(tx, { buildId, logBytes: null }, { logBytes: bytes, logLimit: null });
  if (counted > 0) await addUsage(tx, accountId, 'logsBytes', bytes);
}

const countedLogs = builds.pick('buildId', 'accountId', 'logBytes');

/** Subtracts logs from the ledger, in the transaction that deletes them or their builds. */
export async function uncountLogs(tx: Transaction, buildIds: Iterable<string>): Promise<void> {
  for (const { list, params } of inChunks(buildIds)) {
    const found = await countedLogs.all(tx, `WHERE build_id IN (${list}) AND log_bytes > 0`, params);
    await tx.run(`UPDATE builds SET log_bytes = 0, log_limit = NULL WHERE build_id IN (${list})`, params);
    const bytes = found.map(({ accountId, logBytes }) => ({ accountId, bytes: -(logBytes ?? 0) }));
    await addUsageOf(tx, 'logsBytes', bytes);
  }
}

const outputs = builds.pick('buildId', 'logBytes');

/**
 * Sums the logs and artifacts of up to `limit` builds of an account whose ids follow `after`; `next`: null at the end.
 */
export async function outputPage(
  q: Queries,
  accountId: number,
  after: string,
  limit: number,
): Promise<{ logsBytes: number; artifactsBytes: number; next: string | null }> {
  const rows = await outputs.all(
    q,
    'WHERE account_id = :accountId AND build_id > :after ORDER BY build_id LIMIT :limit',
    { accountId, after, limit },
  );
  const logsBytes = rows.reduce((sum, { logBytes }) => sum + (logBytes ?? 0), 0);
  const ids = rows.map(({ buildId }) => buildId);
  const artifactsBytes = await bytesOfArtifacts(q, ids);
  return { logsBytes, artifactsBytes, next: rows.length === limit ? (ids.at(-1) ?? null) : null };
}
