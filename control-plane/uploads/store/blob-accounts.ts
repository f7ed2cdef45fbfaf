// Counters per account that let acceptance of uploads and collection of contents see each other.
import type { Queries, Transaction } from '../../platform/store/sql.js';

export interface BlobCounters {
  /** Uploads accepted so far; also the newest one's seq. */
  readonly uploadsAccepted: number;
  /** Times that contents were deleted. */
  readonly deletions: number;
  /** Times that something may have become garbage. */
  readonly garbage: number;
}

interface Row {
  uploads_accepted: number;
  deletions: number;
  garbage: number;
}

const COLUMNS = 'uploads_accepted, deletions, garbage';

const fromRow = (row: Row | undefined): BlobCounters => ({
  uploadsAccepted: row?.uploads_accepted ?? 0,
  deletions: row?.deletions ?? 0,
  garbage: row?.garbage ?? 0,
});

export async function readBlobCounters(db: Queries, accountId: number): Promise<BlobCounters> {
  return fromRow(
    await db.get<Row>(`SELECT ${COLUMNS} FROM blob_accounts WHERE account_id = :accountId`, { accountId }),
  );
}

/** Counts an upload; the answer's `uploadsAccepted` is its seq. */
export async function countUpload(tx: Transaction, accountId: number): Promise<BlobCounters> {
  return fromRow(
    await tx.get<Row>(
      `INSERT INTO blob_accounts (account_id, uploads_accepted) VALUES (:accountId, 1)
       ON CONFLICT (account_id) DO UPDATE SET uploads_accepted = blob_accounts.uploads_accepted + 1
       RETURNING ${COLUMNS}`,
      { accountId },
    ),
  );
}

export async function countDeletion(tx: Transaction, accountId: number): Promise<void> {
  await tx.run('UPDATE blob_accounts SET deletions = deletions + 1 WHERE account_id = :accountId', {
    accountId,
  });
}

/** Something of the account may be garbage now, or will be if what is under way fails. */
export async function noteGarbage(tx: Transaction, accountId: number): Promise<void> {
  await tx.run(
    `INSERT INTO blob_accounts (account_id, garbage) VALUES (:accountId, 1)
     ON CONFLICT (account_id) DO UPDATE SET garbage = blob_accounts.garbage + 1`,
    { accountId },
  );
}

/** Accounts with garbage that were last collected before `collectedBefore`, longest ago first. */
export async function accountsToCollect(db: Queries, collectedBefore: number): Promise<number[]> {
  const rows = await db.all<{ account_id: number }>(
    `SELECT account_id FROM blob_accounts
     WHERE garbage > garbage_collected AND collected_at <= :collectedBefore ORDER BY collected_at`,
    { collectedBefore },
  );
  return rows.map((row) => row.account_id);
}

/** Every account that ever sent contents. */
export async function accountsWithContents(db: Queries): Promise<number[]> {
  const rows = await db.all<{ account_id: number }>(
    'SELECT account_id FROM blob_accounts ORDER BY account_id',
  );
  return rows.map((row) => row.account_id);
}

/** @param garbage the counter up to which everything has been looked at */
export async function noteCollected(
  tx: Transaction,
  accountId: number,
  garbage: number,
  now: number,
): Promise<void> {
  await tx.run(
    `UPDATE blob_accounts SET garbage_collected = :garbage, collected_at = :now
     WHERE account_id = :accountId`,
    { accountId, garbage, now },
  );
}
