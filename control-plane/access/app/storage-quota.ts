// Enforces the storage limits of accounts. Bytes are reserved before they are received, and the reservation ends when
// their rows are committed. Reservations are in memory, so a crash leaves none behind; several processes reserve
// together (`shared-storage-quota.ts`).

import { limitOf } from '../../platform/domain/account-limits.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SharedCounts } from '../../platform/domain/shared-state.js';
import { readUsage } from '../../platform/store/account-usage.js';
import type { Store } from '../../platform/store/sql.js';
import { getOrganization } from '../store/organizations.js';
import { beginShared } from './shared-storage-quota.js';
import {
  exceeded,
  kinds,
  type QuotaKind,
  type Reservation,
  type Room,
  type StorageOwner,
} from './storage-reservation.js';

export type { QuotaKind, Reservation, StorageOwner } from './storage-reservation.js';

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

export interface StorageQuotaDeps {
  readonly store: Store;
  readonly limits: Limits;
  /** Where processes reserve together; null: there is one process. */
  readonly shared?: SharedCounts | null;
}

export function createStorageQuota(deps: StorageQuotaDeps) {
  const { store, limits, shared = null } = deps;
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
  const read = async (accountId: number, kind: QuotaKind): Promise<Room> => {
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
      if (pending.storing === 0) throw exceeded(owner, kind, { used, limit });
      await new Promise<void>((resolve) => pending.waiting.push(resolve));
    }
  };

  return {
    begin(owner: StorageOwner, kind: QuotaKind): Reservation {
      if (shared !== null) return beginShared(shared, owner, kind, () => read(owner.accountId, kind));
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
      if (bytes > 0 && used + bytes > limit) throw exceeded(owner, kind, { used, limit });
    },
  };
}

const reserved = ({ held }: Pending) => [...held].reduce((sum, { granted }) => sum + granted, 0);
