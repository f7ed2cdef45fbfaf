// Recounts an account's storage from the rows behind the ledger.
import { readUsage } from '../../control-plane/platform/store/account-usage.js';
import type { Queries } from '../../control-plane/platform/store/sql.js';

const SUMS = {
  contentsBytes: `SELECT (SELECT COALESCE(SUM(size), 0) FROM blobs WHERE account_id = :accountId)
    + (SELECT COALESCE(SUM(manifest_bytes), 0) FROM uploads WHERE account_id = :accountId) AS bytes`,
  artifactsBytes: 'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM files WHERE account_id = :accountId',
  logsBytes: 'SELECT COALESCE(SUM(log_bytes), 0) AS bytes FROM builds WHERE account_id = :accountId',
};

/** Returns the ledger and a recount. The two must be equal. */
export async function ledgerAndRecount(store: Queries, accountId: number) {
  const { contentsBytes, artifactsBytes, logsBytes } = await readUsage(store, accountId);
  const recount: Record<string, number> = {};
  for (const [name, sql] of Object.entries(SUMS)) {
    recount[name] = (await store.get<{ bytes: number }>(sql, { accountId }))?.bytes ?? -1;
  }
  return { ledger: { contentsBytes, artifactsBytes, logsBytes }, recount };
}
