// Enforces the limit of an account's records: what it has written into the database. Asked once per request, before it
// writes, with the size of its body; triggers count what it has written then (`platform/store/record-triggers.ts`).
import { spanOf } from '../../../shared/amounts.js';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { type AccountLimitChanges, limitOf } from '../domain/account-limits.js';
import { API_ROOT, CONSOLE_ROOT } from '../domain/addresses.js';
import type { Caller } from '../domain/caller.js';
import { ApiError } from '../domain/error-catalog.js';
import type { Limits } from '../domain/limits.js';
import type { SharedCounts } from '../domain/shared-state.js';
import { readUsage } from '../store/account-usage.js';
import type { Queries } from '../store/sql.js';

/** How often it is tried while others have reserved room, and how long it waits between at most. */
const TRIES = 5;
const PAUSE_MS = 40;

export type RecordsQuota = ReturnType<typeof createRecordsQuota>;

export type RecordsOwner = Pick<Caller, 'workspaceId'> & {
  readonly account: { readonly id: number; readonly limits: AccountLimitChanges };
};

export interface RecordsQuotaDeps {
  readonly store: Queries;
  readonly limits: Limits;
  /** Where processes reserve together; null: there is one process. */
  readonly shared?: SharedCounts | null;
}

export function createRecordsQuota({ store, limits, shared = null }: RecordsQuotaDeps) {
  /** Bytes of requests in progress, by account. */
  const reserved = new Map<number, number>();
  const read = async ({ account }: RecordsOwner) => {
    const { recordsBytes: used } = await readUsage(store, account.id);
    return { used, limit: limitOf(account, 'records_bytes', limits) };
  };
  /** Reserved first and read then: what others have reserved is either still counted, or read. */
  const enterShared = async (counts: SharedCounts, caller: RecordsOwner, bytes: number) => {
    const name = `records ${caller.account.id}`;
    for (let tries = 1; ; tries++) {
      const all = await counts.take(name, bytes, Number.MAX_SAFE_INTEGER);
      const { used, limit } = await read(caller);
      if (all !== null && used + all + (bytes === 0 ? 1 : 0) <= limit) return () => counts.give(name, bytes);
      counts.give(name, bytes);
      // What another request has written may still be reserved, too.
      if (all === null || all === bytes || tries === TRIES) throw exceeded(caller, { used, limit, bytes }, limits);
      await pause(systemClock, Math.random() * PAUSE_MS);
    }
  };
  return {
    /**
     * Reserves `bytes` for a request, so that concurrent ones do not all use the same room. Returns a function that ends
     * the reservation, to be called once, when the request has written. Throws ApiError `storage_quota_exceeded`.
     */
    async enter(caller: RecordsOwner, bytes: number): Promise<() => void> {
      const { account } = caller;
      if (shared !== null) return enterShared(shared, caller, bytes);
      const { used, limit } = await read(caller);
      const before = reserved.get(account.id) ?? 0;
      // A request without a body writes too.
      if (used + before + Math.max(bytes, 1) > limit) throw exceeded(caller, { used, limit, bytes }, limits);
      reserved.set(account.id, before + bytes);
      return () => {
        const rest = (reserved.get(account.id) ?? 0) - bytes;
        if (rest > 0) reserved.set(account.id, rest);
        else reserved.delete(account.id);
      };
    },
    /** Whether nothing more fits. */
    async isFull(caller: RecordsOwner): Promise<boolean> {
      const { used, limit } = await read(caller);
      return used >= limit;
    },
  };
}

function exceeded(
  { account, workspaceId }: RecordsOwner,
  { used, limit, bytes }: { used: number; limit: number; bytes: number },
  limits: Limits,
): ApiError {
  const kept = limitOf(account, 'builds_kept_ms', limits);
  const files = `${CONSOLE_ROOT}/v1/files?workspace_id=${encodeURIComponent(workspaceId)}&kind=artifact`;
  return new ApiError('storage_quota_exceeded', {
    message:
      `The account may have ${limit} bytes of records in the database and has ${used}; ${bytes} more do not fit. Delete ` +
      'secrets, webhooks and files that are no longer needed. Answers kept for an Idempotency-Key go after ' +
      `${spanOf(limits.idempotency_ms)}, deliveries after ${spanOf(limits.webhook_deliveries_kept_ms)}, builds with their ` +
      `scripts and events ${spanOf(kept)} after their end. An operator can raise the limit, or have builds kept for less.`,
    detail: { limit: 'records_bytes', limit_bytes: limit, used_bytes: used },
    next: [
      { action: 'list_secrets', method: 'GET', path: `${API_ROOT}/secrets` },
      { action: 'list_webhooks', method: 'GET', path: `${API_ROOT}/webhooks` },
      { action: 'list_files', method: 'GET', path: files },
      { action: 'show_usage', method: 'GET', path: `${API_ROOT}/me` },
    ],
  });
}
