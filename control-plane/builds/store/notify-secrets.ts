// Signing secrets of builds' notify_url, as they lie sealed in the builds: for sealing them anew.
import type { Queries, Transaction } from '../../platform/store/sql.js';

/** Up to `limit`, by build id, behind `after`. */
export async function listNotifySecrets(
  db: Queries,
  after: string,
  limit: number,
): Promise<{ buildId: string; accountId: number; sealed: Buffer }[]> {
  const rows = await db.all<{ build_id: string; account_id: number; notify_secret: Buffer }>(
    `SELECT build_id, account_id, notify_secret FROM builds
     WHERE notify_secret IS NOT NULL AND build_id > :after ORDER BY build_id LIMIT :limit`,
    { after, limit },
  );
  return rows.map((row) => ({
    buildId: row.build_id,
    accountId: row.account_id,
    sealed: row.notify_secret,
  }));
}

export async function replaceNotifySecret(tx: Transaction, buildId: string, sealed: Buffer): Promise<void> {
  await tx.run('UPDATE builds SET notify_secret = :sealed WHERE build_id = :buildId', { buildId, sealed });
}

export async function findNotifySecret(q: Queries, buildId: string): Promise<Buffer | null> {
  const row = await q.get<{ notify_secret: Buffer | null }>(
    'SELECT notify_secret FROM builds WHERE build_id = :buildId',
    { buildId },
  );
  return row?.notify_secret ?? null;
}
