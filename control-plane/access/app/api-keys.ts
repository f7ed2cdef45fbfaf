// API keys: creation, revocation, and lookup. Every request reads its key from the database, so a revocation by any
// process counts with the next request.

import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Account, Level } from '../../platform/domain/caller.js';
import { type AddressRanges, compileRanges, normalizeCidr } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { type ApiKey, createKey, displayPrefix, hashKey, isKeyForm, type RevokedReason } from '../domain/api-key.js';
import {
  countApiKeys,
  countLiveKeys,
  findApiKey,
  findApiKeyByHash,
  insertApiKey,
  type KeyPage,
  type ListedKey,
  listApiKeys,
  revokeApiKey,
  touchApiKey,
} from '../store/api-keys.js';
import { findWorkspace } from '../store/workspaces.js';

/** A key that exists; whether it may be used is decided for each request. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly account: Account | null;
  /** Null: any address. */
  readonly ranges: AddressRanges | null;
}

export type { ListedKey };

export interface ApiKeys {
  /**
   * Throws invalid_request for a workspace of another account, or an invalid address range.
   *
   * @param created called in the transaction that inserts the key
   */
  create(
    input: {
      accountId: number;
      workspaceId: string;
      name: string;
      levels: readonly Level[];
      cidrs?: readonly string[];
      expiresAt?: number | null;
      /** The person who creates it. Default: an operator. */
      createdBy?: string | null;
      /** Live keys that the account may have; throws keys_limit. */
      most?: number;
    },
    created?: InTransaction<ApiKey>,
  ): Promise<{ key: string; record: ApiKey }>;
  /** All of them, newest first, revoked and expired ones too. */
  list(accountId: number): Promise<ListedKey[]>;
  /** A page of the keys that the filter names, newest first, and how many the account has in all. */
  page(accountId: number, page: KeyPage): Promise<{ keys: ListedKey[]; total: number }>;
  /** Returns the account's key, also if revoked or expired; null for another account's. */
  find(accountId: number, keyId: string): Promise<ApiKey | null>;
  /**
   * False: no such key, or it was revoked before.
   *
   * @param also what happens in the same transaction, if a key is revoked
   */
  revoke(
    by: { keyId: string } | { token: string },
    reason: RevokedReason,
    also?: (tx: Transaction, key: ApiKey) => Promise<void>,
  ): Promise<boolean>;
  /** Returns the key, also a revoked or expired one; null when the text is not a valid key or is unknown. */
  recognize(token: string): Promise<KnownKey | null>;
  /** Notes that the key is in use; written at most once a minute a key. */
  used(known: KnownKey): void;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

const TOUCHED_KEYS = 10_000;
const TOUCH_MS = 60_000;

export function createApiKeys(deps: { store: Store; clock: Clock; log: Log }): ApiKeys {
  const { store, clock, log } = deps;
  const touched = new Map<string, number>();
  const writing = new Set<Promise<void>>();

  return {
    async create(input, created) {
      const { accountId, workspaceId, name, levels, cidrs = [], expiresAt = null, createdBy = null } = input;
      const { most } = input;
      if (expiresAt !== null && expiresAt <= clock.now()) {
        throw fieldError('invalid_request', 'expires_at', fieldProblem('in_the_past'));
      }
      const ranges = cidrs.map((value, at) => {
        const range = normalizeCidr(value);
        if (range) return range;
        throw fieldError('invalid_request', `cidrs.${at}`, fieldProblem('invalid_range', { value }));
      });
      const key = createKey();
      const record = await store.transaction(async (tx) => {
        if (most !== undefined && (await countLiveKeys(tx, accountId, clock.now())) >= most) {
          throw new ApiError('keys_limit');
        }
        // A key can read everything in its workspace, so it must not be created in another account's workspace.
        const workspace = await findWorkspace(tx, workspaceId);
        if (workspace?.accountId !== accountId || workspace.removedAt !== null) {
          const problem = fieldProblem('unknown_workspace', { value: workspaceId });
          throw fieldError('invalid_request', 'workspace_id', problem);
        }
        const inserted = await insertApiKey(tx, {
          keyId: newId('key'),
          accountId,
          workspaceId,
          name,
          prefix: displayPrefix(key),
          hash: hashKey(key),
          levels,
          cidrs: [...new Set(ranges)],
          expiresAt,
          createdAt: clock.now(),
          createdBy,
        });
        await created?.(tx, inserted);
        return inserted;
      });
      return { key, record };
    },

    list: (accountId) => listApiKeys(store, accountId, clock.now(), { after: null, limit: Number.MAX_SAFE_INTEGER }),

    page: async (accountId, page) => ({
      keys: await listApiKeys(store, accountId, clock.now(), page),
      total: await countApiKeys(store, accountId),
    }),
    find: (accountId, keyId) => findApiKey(store, accountId, keyId),

    async revoke(by, reason, also) {
      const target = 'token' in by ? { hash: hashKey(by.token) } : by;
      const revoked = await store.transaction(async (tx) => {
        const key = await revokeApiKey(tx, target, reason, clock.now());
        if (key) await also?.(tx, key);
        return key;
      });
      return revoked !== null;
    },

    async recognize(token) {
      if (!isKeyForm(token)) return null;
      const found = await findApiKeyByHash(store, hashKey(token));
      return found && { ...found, ranges: found.key.cidrs.length > 0 ? compileRanges(found.key.cidrs) : null };
    },

    used({ key }) {
      const now = clock.now();
      const last = touched.get(key.keyId) ?? key.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      // After a correction of the clock, the last use may be in the future.
      if (now >= last && now - last < TOUCH_MS) return;
      if (touched.size >= TOUCHED_KEYS) touched.clear();
      touched.set(key.keyId, now);
      const write = store
        .transaction((tx) => touchApiKey(tx, key.keyId, now))
        .catch((error: unknown) => log.error({ err: error }, 'the last use of a key could not be written'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },

    async close() {
      await Promise.all(writing);
    },
  };
}
