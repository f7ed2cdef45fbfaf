// Recounts an account's storage from the rows behind the ledger.
import { readUsage } from '../../control-plane/platform/store/account-usage.js';
import { ROW_BYTES, recordTables } from '../../control-plane/platform/store/record-tables.js';
import type { Queries, Store } from '../../control-plane/platform/store/sql.js';

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

type Row = Readonly<Record<string, unknown>>;

/** Returns the ledger of an account's records and a recount from the rows as they are read. The two must be equal. */
export function recordsAndRecount(store: Store, accountId: number) {
  // Workers may write meanwhile.
  return store.snapshot(async (q) => {
    const { recordsBytes } = await readUsage(q, accountId);
    let recount = 0;
    for (const [table, { counts }] of counted) {
      const rows = await q.all<Row>(`SELECT * FROM ${table} WHERE account_id = :accountId`, { accountId });
      for (const row of rows) recount += ROW_BYTES + counts.reduce((sum, name) => sum + bytesOf(row[name]), 0);
    }
    return { ledger: recordsBytes, recount };
  });
}

const counted = Object.entries(recordTables).flatMap(([table, row]) =>
  'counts' in row ? [[table, row] as const] : [],
);

function bytesOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Buffer) return value.length;
  throw new Error(`${typeof value} has no size`);
}
