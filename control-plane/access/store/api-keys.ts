import { type Account, isLevel, type Level } from '../../platform/domain/caller.js';
import { readStrings } from '../../platform/store/json-column.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { ApiKey, RevokedReason } from '../domain/api-key.js';
import { bumpAccessRevision } from './access-revision.js';
import { type AccountRow, toAccount } from './organizations.js';

interface Row {
  key_id: string;
  account_id: number | null;
  workspace_id: string | null;
  name: string;
  prefix: string;
  levels: string;
  cidrs: string;
  expires_at: number | null;
  revoked_at: number | null;
  revoked_reason: RevokedReason | null;
  last_used_at: number | null;
  created_at: number;
}

const fromRow = (row: Row): ApiKey => ({
  keyId: row.key_id,
  accountId: row.account_id,
  workspaceId: row.workspace_id,
  name: row.name,
  prefix: row.prefix,
  levels: readStrings(row.levels).filter(isLevel),
  cidrs: readStrings(row.cidrs),
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  revokedReason: row.revoked_reason,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
});

export interface NewApiKey {
  readonly keyId: string;
  readonly accountId: number | null;
  readonly workspaceId: string | null;
  readonly name: string;
  readonly prefix: string;
  readonly hash: string;
  readonly levels: readonly Level[];
  readonly cidrs: readonly string[];
  readonly expiresAt: number | null;
  readonly now: number;
}

export async function insertApiKey(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
  const row = await tx.get<Row>(
    `INSERT INTO api_keys
       (key_id, account_id, workspace_id, name, prefix, hash, levels, cidrs, expires_at, created_at)
     VALUES
       (:keyId, :accountId, :workspaceId, :name, :prefix, :hash, :levels, :cidrs, :expiresAt, :now)
     RETURNING *`,
    { ...key, levels: JSON.stringify(key.levels), cidrs: JSON.stringify(key.cidrs) },
  );
  if (!row) throw new Error('the insert returned no row');
  return fromRow(row);
}

/** The key of this hash and its account, revoked and expired ones too. */
export async function findApiKeyByHash(
  db: Queries,
  hash: string,
): Promise<{ key: ApiKey; account: Account | null } | null> {
  const row = await db.get<
    Row & Omit<AccountRow, 'id' | 'org_id' | 'name'> & { org_id: string | null; org_name: string }
  >(
    `SELECT k.*, o.org_id, o.name AS org_name, o.slug, o.status, o.payments_blocked
     FROM api_keys k LEFT JOIN organizations o ON o.id = k.account_id WHERE k.hash = :hash`,
    { hash },
  );
  if (!row) return null;
  const account =
    row.account_id === null || row.org_id === null
      ? null
      : toAccount({ ...row, id: row.account_id, org_id: row.org_id, name: row.org_name });
  return { key: fromRow(row), account };
}

/** Newest first, revoked and expired ones too. */
export async function listApiKeys(db: Queries, accountId: number): Promise<ApiKey[]> {
  const rows = await db.all<Row>(
    'SELECT * FROM api_keys WHERE account_id = :accountId ORDER BY created_at DESC, key_id',
    { accountId },
  );
  return rows.map(fromRow);
}

/** Those that are neither revoked nor expired. */
export async function countLiveKeys(db: Queries, accountId: number, now: number): Promise<number> {
  const row = await db.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM api_keys
     WHERE account_id = :accountId AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`,
    { accountId, now },
  );
  return row?.n ?? 0;
}

/** The key as it is now; null when there is no such key that was not revoked before. */
export async function revokeApiKey(
  tx: Transaction,
  by: { keyId: string } | { hash: string },
  reason: RevokedReason,
  now: number,
): Promise<ApiKey | null> {
  const row = await tx.get<Row>(
    `UPDATE api_keys SET revoked_at = :now, revoked_reason = :reason
     WHERE ${'keyId' in by ? 'key_id = :value' : 'hash = :value'} AND revoked_at IS NULL RETURNING *`,
    { value: 'keyId' in by ? by.keyId : by.hash, reason, now },
  );
  if (row) await bumpAccessRevision(tx);
  return row ? fromRow(row) : null;
}

/** Not part of the access revision: when a key was last used changes nothing of what it may do. */
export async function touchApiKey(tx: Transaction, keyId: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE api_keys SET last_used_at = :now WHERE key_id = :keyId
     AND (last_used_at IS NULL OR last_used_at < :now)`,
    { keyId, now },
  );
}
