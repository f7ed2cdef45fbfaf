// The storage ledger of accounts, bytes. It changes in the transaction that writes or deletes the rows that it counts:
// contents are rows of `blobs` and manifests of `uploads`, artifacts rows of `files`, logs rows of `builds`.
import { int } from '../domain/fields.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

export const accountUsage = table('account_usage', {
  accountId: int(),
  contentsBytes: int().initially(0),
  artifactsBytes: int().initially(0),
  logsBytes: int().initially(0),
  /** What the account has written into the database; kept by triggers (`record-triggers.ts`). */
  recordsBytes: int().initially(0),
  /** Number of changes of the others, so that a slow recount notices them. */
  changes: int().initially(0),
});
export type AccountUsage = Selected<typeof accountUsage>;

export type StoredKind = 'contentsBytes' | 'artifactsBytes' | 'logsBytes';

const columns: Readonly<Record<StoredKind, string>> = {
  contentsBytes: 'contents_bytes',
  artifactsBytes: 'artifacts_bytes',
  logsBytes: 'logs_bytes',
};

/** @param bytes negative for what is deleted */
export async function addUsage(tx: Transaction, accountId: number, kind: StoredKind, bytes: number): Promise<void> {
  if (bytes === 0) return;
  const column = columns[kind];
  await tx.run(
    `INSERT INTO account_usage (account_id, ${column}, changes) VALUES (:accountId, :bytes, 1)
     ON CONFLICT (account_id) DO UPDATE
     SET ${column} = account_usage.${column} + :bytes, changes = account_usage.changes + 1`,
    { accountId, bytes },
  );
}

/** The same for rows of several accounts. */
export async function addUsageOf(
  tx: Transaction,
  kind: StoredKind,
  rows: readonly { readonly accountId: number; readonly bytes: number }[],
): Promise<void> {
  const sums = new Map<number, number>();
  for (const { accountId, bytes } of rows) sums.set(accountId, (sums.get(accountId) ?? 0) + bytes);
  for (const [accountId, bytes] of sums) await addUsage(tx, accountId, kind, bytes);
}

export async function readUsage(q: Queries, accountId: number): Promise<AccountUsage> {
  return (
    (await accountUsage.get(q, 'WHERE account_id = :accountId', { accountId })) ?? {
      accountId,
      contentsBytes: 0,
      artifactsBytes: 0,
      logsBytes: 0,
      recordsBytes: 0,
      changes: 0,
    }
  );
}

/** Whether any account has contents, artifacts or logs. */
export async function hasStoredBytes(q: Queries): Promise<boolean> {
  return (await accountUsage.get(q, 'WHERE contents_bytes + artifacts_bytes + logs_bytes > 0 LIMIT 1', {})) !== null;
}

export type StoredBytes = Pick<AccountUsage, StoredKind>;

/**
 * Corrects the ledger to the counted bytes, unless it has changed since `changes` was read.
 *
 * @returns `changed`: nothing was written, count again
 */
export async function correctUsage(
  tx: Transaction,
  accountId: number,
  changes: number,
  counted: StoredBytes,
): Promise<'right' | 'corrected' | 'changed'> {
  const now = await readUsage(tx, accountId);
  if (now.changes !== changes) return 'changed';
  let corrected = false;
  for (const kind of Object.keys(columns) as StoredKind[]) {
    if (now[kind] === counted[kind]) continue;
    await addUsage(tx, accountId, kind, counted[kind] - now[kind]);
    corrected = true;
  }
  return corrected ? 'corrected' : 'right';
}
