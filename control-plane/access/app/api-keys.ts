// API keys: made, revoked, and recognised. Recognising happens on every request, so what a key resolves to is
// kept in memory for as long as nothing has changed who may do what.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Account, Level } from '../../platform/domain/caller.js';
import { type AddressRanges, compileRanges, normalizeCidr } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import {
  type ApiKey,
  createKey,
  displayPrefix,
  hashKey,
  isKeyForm,
  type RevokedReason,
} from '../domain/api-key.js';
import { readAccessRevision } from '../store/access-revision.js';
import {
  countLiveKeys,
  findApiKeyByHash,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  touchApiKey,
} from '../store/api-keys.js';
import { findWorkspace } from '../store/workspaces.js';

/** A key that exists; whether it may be used is decided anew for each request. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly account: Account | null;
  /** Null: any address. */
  readonly ranges: AddressRanges | null;
}

export interface ApiKeys {
  /** Throws invalid_request for a workspace of another account, or a range that is none. */
  create(input: {
    accountId: number;
    workspaceId: string;
    name: string;
    levels: readonly Level[];
    cidrs?: readonly string[];
    expiresAt?: number | null;
    /** Live keys that the account may have; throws keys_limit. */
    most?: number;
  }): Promise<{ key: string; record: ApiKey }>;
  /** Newest first, revoked and expired ones too. */
  list(accountId: number): Promise<ApiKey[]>;
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
  /** The key of this text; null when it has not the form of a key or is unknown. At once, if it can be. */
  recognise(token: string): KnownKey | null | Promise<KnownKey | null>;
  /** Notes that the key is in use; written at most once a minute a key. */
  used(known: KnownKey): void;
  /** Waits for what is still being written. */
  close(): Promise<void>;
}

const CACHED_KEYS = 10_000;
/** How long a change made by another process may go unnoticed. */
const STALE_MS = 5;
const TOUCH_MS = 60_000;

/** @param realClock keeps time for the cache, which must not stand still with a test clock */
export function createApiKeys(deps: { store: Store; clock: Clock; realClock: Clock; log: Log }): ApiKeys {
  const { store, clock, realClock, log } = deps;
  const cache = new Map<string, KnownKey>();
  const touched = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  let revision = '';
  let checkedAt = Number.NEGATIVE_INFINITY;

  const refresh = async () => {
    const at = realClock.now();
    const current = await readAccessRevision(store);
    if (current !== revision) cache.clear();
    revision = current;
    checkedAt = at;
  };

  const lookUp = async (hash: string): Promise<KnownKey | null> => {
    await refresh();
    const cached = cache.get(hash);
    if (cached) return cached;
    const before = revision;
    const found = await findApiKeyByHash(store, hash);
    if (!found) return null;
    const known = {
      ...found,
      ranges: found.key.cidrs.length > 0 ? compileRanges(found.key.cidrs) : null,
    };
    // What was read may be older than a change that was noticed meanwhile; then it serves this once only.
    if (before === revision) {
      if (cache.size >= CACHED_KEYS) cache.delete(cache.keys().next().value ?? '');
      cache.set(hash, known);
    }
    return known;
  };

  return {
    async create({ accountId, workspaceId, name, levels, cidrs = [], expiresAt = null, most }) {
      if (expiresAt !== null && expiresAt <= clock.now()) {
        throw new ApiError('invalid_request', {
          message: `expires must be in the future (got ${new Date(expiresAt).toISOString()}).`,
          detail: { fields: ['expires_at'] },
        });
      }
      const ranges = cidrs.map((text) => {
        const range = normalizeCidr(text);
        if (range) return range;
        throw new ApiError('invalid_request', {
          message: `"${text}" is not an address or a range such as 10.0.0.0/8.`,
          detail: { fields: ['cidrs'] },
        });
      });
      const key = createKey();
      const record = await store.transaction(async (tx) => {
        if (most !== undefined && (await countLiveKeys(tx, accountId, clock.now())) >= most) {
          throw new ApiError('keys_limit');
        }
        // A key reads what its workspace holds, so it must not be made for somebody else's.
        if ((await findWorkspace(tx, workspaceId))?.accountId !== accountId) {
          throw new ApiError('invalid_request', {
            message: `workspace_id: the organization has no workspace ${workspaceId}.`,
            detail: { fields: ['workspace_id'] },
          });
        }
        return insertApiKey(tx, {
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
        });
      });
      return { key, record };
    },

    list: (accountId) => listApiKeys(store, accountId),

    async revoke(by, reason, also) {
      const target = 'token' in by ? { hash: hashKey(by.token) } : by;
      const revoked = await store.transaction(async (tx) => {
        const key = await revokeApiKey(tx, target, reason, clock.now());
        if (key) await also?.(tx, key);
        return key !== null;
      });
      checkedAt = Number.NEGATIVE_INFINITY;
      return revoked;
    },

    recognise(token) {
      if (!isKeyForm(token)) return null;
      const hash = hashKey(token);
      const fresh = realClock.now() - checkedAt < STALE_MS;
      const known = fresh ? cache.get(hash) : undefined;
      return known ?? lookUp(hash);
    },

    used({ key }) {
      const now = clock.now();
      const last = touched.get(key.keyId) ?? key.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      if (now - last < TOUCH_MS) return;
      if (touched.size >= CACHED_KEYS) touched.clear();
      touched.set(key.keyId, now);
      const write = store
        .transaction((tx) => touchApiKey(tx, key.keyId, now))
        .catch((error: unknown) => log.error({ err: error }, 'last use of a key not written'))
        .finally(() => writing.delete(write));
      writing.add(write);
    },

    async close() {
      await Promise.all(writing);
    },
  };
}
