import type { Queries, Transaction } from './sql.js';

/** An answer that was given; `body` is sealed. */
export interface StoredReply {
  readonly fingerprint: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

export async function findReply(
  db: Queries,
  accountId: number,
  key: string,
  since: number,
): Promise<StoredReply | null> {
  const row = await db.get<{ fingerprint: string; status: number; content_type: string; body: Buffer }>(
    `SELECT fingerprint, status, content_type, body FROM idempotency
     WHERE account_id = :accountId AND key = :key AND created_at > :since`,
    { accountId, key, since },
  );
  return row
    ? { fingerprint: row.fingerprint, status: row.status, contentType: row.content_type, body: row.body }
    : null;
}

/** False when an answer of this key is there already and is younger than `since`. */
export async function insertReply(
  tx: Transaction,
  reply: StoredReply & { accountId: number; key: string; now: number; since: number },
): Promise<boolean> {
  const { changes } = await tx.run(
    `INSERT INTO idempotency (account_id, key, fingerprint, status, content_type, body, created_at)
     VALUES (:accountId, :key, :fingerprint, :status, :contentType, :body, :now)
     ON CONFLICT (account_id, key) DO UPDATE SET
       fingerprint = excluded.fingerprint, status = excluded.status, content_type = excluded.content_type,
       body = excluded.body, created_at = excluded.created_at
     WHERE idempotency.created_at <= :since`,
    { ...reply },
  );
  return changes > 0;
}

/** Removes up to `limit` answers from before `since`; says how many. */
export async function purgeReplies(tx: Transaction, since: number, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM idempotency WHERE (account_id, key) IN
       (SELECT account_id, key FROM idempotency WHERE created_at <= :since ORDER BY created_at LIMIT :limit)`,
    { since, limit },
  );
  return changes;
}

/** Up to `limit` answers behind (accountId, key), in that order: to seal them anew under another key. */
export async function listReplyBodies(
  db: Queries,
  after: { accountId: number; key: string },
  limit: number,
): Promise<{ accountId: number; key: string; body: Buffer }[]> {
  const rows = await db.all<{ account_id: number; key: string; body: Buffer }>(
    `SELECT account_id, key, body FROM idempotency
     WHERE account_id > :accountId OR (account_id = :accountId AND key > :key)
     ORDER BY account_id, key LIMIT :limit`,
    { ...after, limit },
  );
  return rows.map((row) => ({ accountId: row.account_id, key: row.key, body: row.body }));
}

/** Nothing when the answer has been replaced since it was read. */
export async function replaceReplyBody(
  tx: Transaction,
  reply: { accountId: number; key: string; body: Buffer; next: Buffer },
): Promise<void> {
  await tx.run(
    `UPDATE idempotency SET body = :next
     WHERE account_id = :accountId AND key = :key AND body = :body`,
    reply,
  );
}
