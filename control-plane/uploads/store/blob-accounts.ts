// Counters per account that let acceptance of uploads and collection of contents see each other.
import { int } from '../../platform/domain/fields.js';
import { readNumber } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';

export const blobAccounts = table('blob_accounts', {
  accountId: int(),
  /** Uploads accepted so far; also the newest one's seq. */
  uploadsAccepted: int().initially(0),
  /** Number of deletions of contents. */
  deletions: int().initially(0),
  /** Number of times that garbage may have appeared. */
  garbage: int().initially(0),
  /** The value of `garbage` up to which everything has been checked. */
  garbageCollected: int().initially(0),
  collectedAt: int().initially(0),
});

const counters = blobAccounts.pick('uploadsAccepted', 'deletions', 'garbage');
export type BlobCounters = Selected<typeof counters>;

const NONE: BlobCounters = { uploadsAccepted: 0, deletions: 0, garbage: 0 };

export async function readBlobCounters(db: Queries, accountId: number): Promise<BlobCounters> {
  return (await counters.get(db, 'WHERE account_id = :accountId', { accountId })) ?? NONE;
}

/** Counts an accepted upload; the returned `uploadsAccepted` is its seq. */
export async function countUpload(tx: Transaction, accountId: number): Promise<BlobCounters> {
  const counted = await counters.getOf(
    tx,
    `INSERT INTO blob_accounts (account_id, uploads_accepted) VALUES (:accountId, 1)
     ON CONFLICT (account_id) DO UPDATE SET uploads_accepted = blob_accounts.uploads_accepted + 1
     RETURNING ${counters.columns}`,
    { accountId },
  );
  return counted ?? NONE;
}

export async function countDeletion(tx: Transaction, accountId: number): Promise<void> {
  await tx.run('UPDATE blob_accounts SET deletions = deletions + 1 WHERE account_id = :accountId', {
    accountId,
  });
}

/** Marks that the account may have garbage, now or if a running operation fails. */
export async function noteGarbage(tx: Transaction, accountId: number): Promise<void> {
  await tx.run(
    `INSERT INTO blob_accounts (account_id, garbage) VALUES (:accountId, 1)
     ON CONFLICT (account_id) DO UPDATE SET garbage = blob_accounts.garbage + 1`,
    { accountId },
  );
}

/** Accounts with garbage whose last collection was before `collectedBefore`, oldest first. */
export async function accountsToCollect(db: Queries, collectedBefore: number): Promise<number[]> {
  const rows = await db.all<{ account_id: number }>(
    `SELECT account_id FROM blob_accounts
     WHERE garbage > garbage_collected AND collected_at <= :collectedBefore ORDER BY collected_at`,
    { collectedBefore },
  );
  return rows.map((row) => row.account_id);
}

/** Returns when the account with garbage that is due next was last collected, or null if none has garbage. */
export const nextToCollect = (db: Queries): Promise<number | null> =>
  readNumber(
    db,
    `SELECT collected_at FROM blob_accounts WHERE garbage > garbage_collected ORDER BY collected_at LIMIT 1`,
  );

/** Makes the account due as if it had last been collected at `collectedAt`, unless it is due earlier. */
export async function collectBy(tx: Transaction, accountId: number, collectedAt: number): Promise<void> {
  await tx.run(
    `UPDATE blob_accounts SET collected_at = :collectedAt
     WHERE account_id = :accountId AND collected_at > :collectedAt`,
    { accountId, collectedAt },
  );
}

/** Every account that has ever sent contents. */
export async function accountsWithContents(db: Queries): Promise<number[]> {
  const rows = await db.all<{ account_id: number }>('SELECT account_id FROM blob_accounts ORDER BY account_id');
  return rows.map((row) => row.account_id);
}

/** @param garbage the counter up to which everything has been checked */
export async function noteCollected(tx: Transaction, accountId: number, garbage: number, now: number): Promise<void> {
  await blobAccounts.update(tx, { accountId }, { garbageCollected: garbage, collectedAt: now });
}
