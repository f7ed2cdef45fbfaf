// Sealed signing secrets of builds' notify_url, for re-encryption.
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { builds } from './builds.js';

const notifySecret = builds.pick('buildId', 'accountId', 'notifySecret');

/** Returns up to `limit` by build id, after `after`. */
export async function listNotifySecrets(
  db: Queries,
  after: string,
  limit: number,
): Promise<{ buildId: string; accountId: number; sealed: Buffer }[]> {
  const rows = await notifySecret.all(
    db,
    'WHERE notify_secret IS NOT NULL AND build_id > :after ORDER BY build_id LIMIT :limit',
    { after, limit },
  );
  return rows.flatMap(({ notifySecret: sealed, ...of }) => (sealed === null ? [] : [{ ...of, sealed }]));
}

export async function replaceNotifySecret(tx: Transaction, buildId: string, sealed: Buffer): Promise<void> {
  await builds.update(tx, { buildId }, { notifySecret: sealed });
}

export async function findNotifySecret(q: Queries, buildId: string): Promise<Buffer | null> {
  return (await notifySecret.get(q, 'WHERE build_id = :buildId', { buildId }))?.notifySecret ?? null;
}
