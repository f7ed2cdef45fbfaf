import type { Account } from '../../platform/domain/caller.js';
import { text } from '../../platform/domain/fields.js';
import { readCount } from '../../platform/store/read-number.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { type Selected, table } from '../../platform/store/table.js';
import { type ApiKey, apiKeyFields, type RevokedReason } from '../domain/api-key.js';
import { organizations } from './organizations.js';

export const apiKeys = table('api_keys', apiKeyFields, { hash: text() });

export const insertApiKey = apiKeys.insert;

const { orgId, slug, status, paymentsBlocked, limits, name } = organizations.fields;
const keysWithAccount = apiKeys.and({
  orgId: ['o.org_id', orgId.orNull],
  orgName: ['o.name', name],
  slug: ['o.slug', slug],
  status: ['o.status', status],
  paymentsBlocked: ['o.payments_blocked', paymentsBlocked],
  limits: ['o.limits', limits],
});

/** The key with this hash and its account, also if revoked or expired. */
export async function findApiKeyByHash(
  db: Queries,
  hash: string,
): Promise<{ key: ApiKey; account: Account | null } | null> {
  const found = await keysWithAccount.get(
    db,
    'LEFT JOIN organizations o ON o.id = api_keys.account_id WHERE api_keys.hash = :hash',
    { hash },
  );
  if (!found) return null;
  const { orgId, orgName, slug, status, paymentsBlocked, limits, ...key } = found;
  if (key.accountId === null || orgId === null) return { key, account: null };
  const id = key.accountId;
  return { key, account: { id, orgId, name: orgName, slug, status, paymentsBlocked, limits } };
}

const withCreator = apiKeys.and({ creator: ['u.email', text().orNull] });

/** A key with the e-mail address of its creator. */
export type ListedKey = Selected<typeof withCreator>;

export interface KeyFilter {
  /** usable: neither revoked nor expired; leaked: revoked because it was found in public. Default: any. */
  readonly state?: 'usable' | 'leaked' | undefined;
  readonly createdBy?: string | undefined;
  readonly workspaceId?: string | undefined;
}

export interface KeyPage extends KeyFilter {
  /** The last key of the previous page. */
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

const conditions = {
  usable: 'AND api_keys.revoked_at IS NULL AND (api_keys.expires_at IS NULL OR api_keys.expires_at > :now)',
  leaked: `AND api_keys.revoked_reason = 'leaked'`,
};

/** Newest first, by default including revoked and expired ones. */
export function listApiKeys(
  db: Queries,
  accountId: number,
  now: number,
  { state, createdBy, workspaceId, after, limit }: KeyPage,
): Promise<ListedKey[]> {
  const older = 'AND (api_keys.created_at < :at OR api_keys.created_at = :at AND api_keys.key_id > :id)';
  return withCreator.all(
    db,
    `LEFT JOIN users u ON u.user_id = api_keys.created_by
     WHERE api_keys.account_id = :accountId ${state === undefined ? '' : conditions[state]}
       ${createdBy === undefined ? '' : 'AND api_keys.created_by = :createdBy'}
       ${workspaceId === undefined ? '' : 'AND api_keys.workspace_id = :workspaceId'} ${after ? older : ''}
     ORDER BY api_keys.created_at DESC, api_keys.key_id LIMIT :limit`,
    {
      accountId,
      limit,
      ...(state === 'usable' ? { now } : {}),
      ...(createdBy === undefined ? {} : { createdBy }),
      ...(workspaceId === undefined ? {} : { workspaceId }),
      ...(after ? { at: after.at, id: after.id } : {}),
    },
  );
}

/** Returns the account's key, also if revoked or expired; null for another account's. */
export function findApiKey(db: Queries, accountId: number, keyId: string): Promise<ApiKey | null> {
  return apiKeys.get(db, 'WHERE account_id = :accountId AND key_id = :keyId', { accountId, keyId });
}

/** Returns the number of keys, revoked and expired ones too. */
export const countApiKeys = (db: Queries, accountId: number): Promise<number> =>
  readCount(db, 'SELECT COUNT(*) AS n FROM api_keys WHERE account_id = :accountId', {
    accountId,
  });

/** Without revoked and expired ones. */
export const countLiveKeys = (db: Queries, accountId: number, now: number): Promise<number> =>
  readCount(
    db,
    `SELECT COUNT(*) AS n FROM api_keys
     WHERE account_id = :accountId AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`,
    { accountId, now },
  );

/** The revoked key; null when there is no such key, or it was revoked before. */
export async function revokeApiKey(
  tx: Transaction,
  by: { keyId: string } | { hash: string },
  reason: RevokedReason,
  now: number,
): Promise<ApiKey | null> {
  const seen = { ...by, revokedAt: null };
  return apiKeys.change(tx, seen, { revokedAt: now, revokedReason: reason });
}

/** Records where a key was found, unless that is known. Returns the key, or null. */
export function setLeakedUrl(tx: Transaction, hash: string, leakedUrl: string): Promise<ApiKey | null> {
  return apiKeys.change(tx, { hash, leakedUrl: null }, { leakedUrl });
}

export async function isKnownKey(db: Queries, hash: string): Promise<boolean> {
  return (await db.get('SELECT 1 FROM api_keys WHERE hash = :hash', { hash })) !== undefined;
}

export async function touchApiKey(tx: Transaction, keyId: string, now: number): Promise<void> {
  await tx.run(
    `UPDATE api_keys SET last_used_at = :now WHERE key_id = :keyId
     AND (last_used_at IS NULL OR last_used_at < :now)`,
    { keyId, now },
  );
}
