// What an operator has to settle with the provider by hand, and marks as settled.
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import type { ManualSettlement } from '../domain/manual-settlement.js';
import {
  closeSettlement,
  listOpenSettlements,
  listSettlements,
  listSettlementsOf,
} from '../store/manual-settlements.js';

export type ManualSettlements = ReturnType<typeof createManualSettlements>;

/** More than these at once have one cause. */
const SHOWN = 200;

/** Oldest first, at most 200. */
export const openSettlements = (q: Queries): Promise<ManualSettlement[]> => listOpenSettlements(q, SHOWN);

/** Open and settled ones of an order or top-up and its refunds, oldest first, at most 200. */
export const settlementsOf = (q: Queries, orderNo: string): Promise<ManualSettlement[]> =>
  listSettlementsOf(q, orderNo, SHOWN);

export function createManualSettlements(deps: Pick<Core, 'store' | 'clock' | 'wake'>) {
  const { store, clock, wake } = deps;
  return {
    open: () => openSettlements(store),

    /** Settled ones, too; newest first, at most 200. */
    all: () => listSettlements(store, SHOWN),

    /**
     * @param done runs in the transaction
     * @param id the number of the order or top-up of the payment, or the id of the refund
     * @throws ApiError order_not_found when nothing with this id is open
     */
    settle: (
      id: string,
      settledBy: string,
      note: string,
      done?: InTransaction<ManualSettlement>,
    ): Promise<ManualSettlement> =>
      store.transaction(async (tx) => {
        const settled = await closeSettlement(tx, id, { settledAt: clock.now(), settledBy, note });
        if (!settled) {
          throw new ApiError('order_not_found', {
            message: `There is no payment or refund ${id} that an operator has to settle.`,
          });
        }
        tx.onCommit(() => {
          wake.wake('orders', String(settled.accountId), { id: settled.orderNo });
          wake.wake('operator-notices');
        });
        await done?.(tx, settled);
        return settled;
      }),
  };
}
