// The credit of an organization: its balance, its ledger, and adjustments by the operator.
import type { Clock } from '../../../shared/clock.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Store } from '../../platform/store/sql.js';
import type { CreditEntry } from '../domain/credit.js';
import {
  insertCreditEntry,
  listCreditEntries,
  readAvailable,
  readBalance,
  readReserved,
} from '../store/credit-ledger.js';

/** In millionths of a US dollar. */
export interface CreditBalance {
  readonly balance: number;
  /** Part of the balance: withdrawals that the provider has not confirmed yet. */
  readonly reserved: number;
}

export type Credit = ReturnType<typeof createCredit>;

export function createCredit({ store, clock }: { store: Store; clock: Pick<Clock, 'now'> }) {
  const balance = async (accountId: number): Promise<CreditBalance> => ({
    balance: await readBalance(store, accountId),
    reserved: await readReserved(store, accountId),
  });
  return {
    balance,
    /** Newest first. */
    entries: (accountId: number, page: { before: number | null; limit: number }): Promise<CreditEntry[]> =>
      listCreditEntries(store, { ...page, accountId }),
    /**
     * Adds credit, or takes what was spent. `done` runs in the transaction.
     *
     * @throws ApiError credit_spent when less than that is left
     */
    async adjust(accountId: number, microUsd: number, reason: string, done?: InTransaction): Promise<CreditBalance> {
      await store.transaction(async (tx) => {
        const left = await readAvailable(tx, accountId);
        if (microUsd < 0 && left + microUsd < 0) {
          throw new ApiError('credit_spent', {
            message: `Only ${left} millionths of a dollar are left (asked to take ${-microUsd}).`,
          });
        }
        await insertCreditEntry(tx, {
          accountId,
          kind: 'adjustment',
          microUsd,
          reason,
          orderId: null,
          krw: null,
          reference: newId('ce'),
          at: clock.now(),
        });
        await done?.(tx);
      });
      return balance(accountId);
    },
  };
}
