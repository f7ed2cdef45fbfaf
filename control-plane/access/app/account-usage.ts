// Current usage of an account, for GET /me and operators.
import { readUsage } from '../../platform/store/account-usage.js';
import type { Store } from '../../platform/store/sql.js';

/** Sizes in bytes. */
export interface UsageNow {
  readonly contentsBytes: number;
  readonly artifactsBytes: number;
  /** Of builds that have ended. */
  readonly logsBytes: number;
  /** What the account has written into the database. */
  readonly recordsBytes: number;
  /** Slots with a Mac of the account, or held by an unpaid order. */
  readonly heldSlots: number;
}

export type ReadUsageNow = (accountId: number) => Promise<UsageNow>;

export function createUsageNow(deps: {
  readonly store: Store;
  heldSlots(accountId: number): Promise<number>;
}): ReadUsageNow {
  return async (accountId) => {
    const [{ contentsBytes, artifactsBytes, logsBytes, recordsBytes }, heldSlots] = await Promise.all([
      readUsage(deps.store, accountId),
      deps.heldSlots(accountId),
    ]);
    return { contentsBytes, artifactsBytes, logsBytes, recordsBytes, heldSlots };
  };
}
