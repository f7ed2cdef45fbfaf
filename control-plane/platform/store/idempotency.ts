import { bytes, int, text } from '../domain/fields.js';
import { purgeOf } from './purge.js';
import type { Queries, Transaction } from './sql.js';
import { type Selected, table } from './table.js';

export const idempotency = table('idempotency', {
  accountId: int(),
  key: text(),
  fingerprint: text(),
  status: int(),
  contentType: text(),
  /** Sealed. */
  body: bytes(),
  createdAt: int(),
  /** The script that belongs at `scriptAt` of the answer and is stored only once; null: none. */
  scriptId: int().orNull.initially(null),
  scriptAt: int().orNull.initially(null),
});

/** A stored answer. */
const replies = idempotency.pick(
  ...(['fingerprint', 'status', 'contentType', 'body', 'scriptId', 'scriptAt'] as const),
);
export type StoredReply = Selected<typeof replies>;

export function findReply(db: Queries, accountId: number, key: string, since: number): Promise<StoredReply | null> {
  return replies.get(db, 'WHERE account_id = :accountId AND key = :key AND created_at > :since', {
    accountId,
    key,
    since,
  });
}

/** False when an answer with this key exists that is newer than `since`. */
export async function insertReply(
  tx: Transaction,
  reply: StoredReply & { accountId: number; key: string; now: number; since: number },
): Promise<boolean> {
  const { changes } = await tx.run(
    `INSERT INTO idempotency (account_id, key, fingerprint, status, content_type, body, created_at, script_id, script_at)
     VALUES (:accountId, :key, :fingerprint, :status, :contentType, :body, :now, :scriptId, :scriptAt)
     ON CONFLICT (account_id, key) DO UPDATE
       SET ${idempotency.excluded('fingerprint', 'status', 'contentType', 'body', 'createdAt', 'scriptId', 'scriptAt')}
       WHERE idempotency.created_at <= :since`,
    { ...reply },
  );
  return changes > 0;
}

export const purgeReplies = purgeOf('idempotency', {
  key: 'account_id, key',
  expired: 'created_at <= :before',
  by: 'created_at',
});

const replyBodies = idempotency.pick('accountId', 'key', 'body');

/** Up to `limit` answers behind (accountId, key), in that order, to be encrypted with another key. */
export function listReplyBodies(
  db: Queries,
  { accountId, key }: { accountId: number; key: string },
  limit: number,
): Promise<Selected<typeof replyBodies>[]> {
  return replyBodies.all(
    db,
    `WHERE account_id > :accountId OR (account_id = :accountId AND key > :key)
     ORDER BY account_id, key LIMIT :limit`,
    { accountId, key, limit },
  );
}

/** Does nothing when the answer has been replaced since it was read. */
export async function replaceReplyBody(
  tx: Transaction,
  { accountId, key, body, next }: { accountId: number; key: string; body: Buffer; next: Buffer },
): Promise<void> {
  await idempotency.update(tx, { accountId, key, body }, { body: next });
}
