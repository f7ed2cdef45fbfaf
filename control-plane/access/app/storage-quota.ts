// Enforces the storage limits of accounts. Bytes are reserved before they are received, and the reservation ends when
// their rows are committed. Reservations are in memory, so a crash leaves none behind.

import { type AccountLimitName, limitOf } from '../../platform/domain/account-limits.js';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { readUsage } from '../../platform/store/account-usage.js';
import type { Store } from '../../platform/store/sql.js';
import { getOrganization } from '../store/organizations.js';

export type QuotaKind = 'contents' | 'artifacts';

/** Bytes that one request is receiving. */
export interface Reservation {
  /** Reserves bytes that are about to arrive. Throws ApiError `storage_quota_exceeded`. */
  take(bytes: number): Promise<void>;
  /** Runs the transaction that writes the rows of `bytes` taken before. They stay reserved until it ends. */
  store<T>(bytes: number, write: () => Promise<T>): Promise<T>;
  /** Releases the bytes that were taken but not stored. */
  release(): void;
}

export interface StorageOwner {
  readonly accountId: number;
  readonly workspaceId: string;
}

export type StorageQuota = ReturnType<typeof createStorageQuota>;

interface Held {
  /** Bytes reserved; at least `taken`. */
  granted: number;
  taken: number;
}

/** The reservations of an account for one kind of storage. */
interface Pending {
  readonly held: Set<Held>;
  /** Transactions that may already be visible, while their bytes are still reserved. */
  storing: number;
  /** Number of reservations that have ended. Their bytes may now be in the ledger. */
  ended: number;
  waiting: (() => void)[];
}

/** Bytes to reserve at a time, so that small files do not need a query each. */
const STEP = 1024 * 1024;

const kinds = {
  contents: { limit: 'contents_bytes', used: 'contentsBytes', files: 'upload' },
  artifacts: { limit: 'artifacts_bytes', used: 'artifactsBytes', files: 'artifact' },
} as const satisfies Record<QuotaKind, { limit: AccountLimitName; used: string; files: string }>;

export function createStorageQuota(deps: { store: Store; limits: Limits }) {
  const { store, limits } = deps;
  const accounts = new Map<string, Pending>();

  const pendingOf = (accountId: number, kind: QuotaKind): Pending => {
    const name = `${kind} ${accountId}`;
    const pending = accounts.get(name) ?? { held: new Set(), storing: 0, ended: 0, waiting: [] };
    accounts.set(name, pending);
    return pending;
  };
  const forget = (accountId: number, kind: QuotaKind) => {
    const name = `${kind} ${accountId}`;
    if (accounts.get(name)?.held.size === 0) accounts.delete(name);
  };
  const read = async (accountId: number, kind: QuotaKind) => {
    const [usage, account] = await Promise.all([readUsage(store, accountId), getOrganization(store, accountId)]);
    const limit = limitOf(account ?? { limits: {} }, kinds[kind].limit, limits);
    return { used: usage[kinds[kind].used], limit };
  };

  /** Takes `bytes` from the reservation, extending it first if necessary. */
  const grow = async (owner: StorageOwner, kind: QuotaKind, pending: Pending, held: Held, bytes: number) => {
    for (;;) {
      const { ended } = pending;
      const { used, limit } = await read(owner.accountId, kind);
      if (pending.ended !== ended) continue;
      const missing = held.taken + bytes - held.granted;
      const fits = (more: number) => used + reserved(pending) + more <= limit;
      if (fits(Math.max(missing, STEP))) {
        held.granted += Math.max(missing, STEP);
        held.taken += bytes;
        return;
      }
      for (const one of pending.held) one.granted = one.taken;
      const exactly = held.taken + bytes - held.granted;
      if (fits(exactly)) {
        held.granted += exactly;
        held.taken += bytes;
        return;
      }
      // Its bytes may count twice: in the ledger and as reserved.
      if (pending.storing === 0) throw exceeded(owner, kind, used, limit);
      await new Promise<void>((resolve) => pending.waiting.push(resolve));
    }
  };

  return {
    begin(owner: StorageOwner, kind: QuotaKind): Reservation {
      const { accountId } = owner;
      const pending = pendingOf(accountId, kind);
      const held: Held = { granted: 0, taken: 0 };
      pending.held.add(held);
      const end = (bytes: number) => {
        held.taken -= bytes;
        held.granted -= bytes;
        pending.ended++;
        const { waiting } = pending;
        pending.waiting = [];
        for (const wake of waiting) wake();
      };
      return {
        async take(bytes) {
          if (held.taken + bytes > held.granted) await grow(owner, kind, pending, held, bytes);
          else held.taken += bytes;
        },
        async store(bytes, write) {
          pending.storing++;
          try {
            return await write();
          } finally {
            pending.storing--;
            end(bytes);
          }
        },
        release() {
          pending.held.delete(held);
          end(held.taken);
          forget(accountId, kind);
        },
      };
    },
    /** Throws ApiError `storage_quota_exceeded` if that many more bytes do not fit now. Reserves nothing. */
    async check(owner: StorageOwner, kind: QuotaKind, bytes: number): Promise<void> {
      const { used, limit } = await read(owner.accountId, kind);
      if (bytes > 0 && used + bytes > limit) throw exceeded(owner, kind, used, limit);
    },
  };
}

const reserved = ({ held }: Pending) => [...held].reduce((sum, { granted }) => sum + granted, 0);

function exceeded({ workspaceId }: StorageOwner, kind: QuotaKind, used: number, limit: number): ApiError {
  const { limit: name, files } = kinds[kind];
  return new ApiError('storage_quota_exceeded', {
    message:
      `The account may store ${limit} bytes of ${kind} and has ${used}; this does not fit. Delete files that are not needed ` +
      'any more. Files of all its workspaces count, and deleted contents until they are collected, within hours.',
    detail: { limit: name, limit_bytes: limit, used_bytes: used },
    next: [
      {
        action: 'list_files',
        method: 'GET',
        path: `${CONSOLE_ROOT}/v1/files?workspace_id=${encodeURIComponent(workspaceId)}&kind=${files}`,
      },
    ],
  });
}
