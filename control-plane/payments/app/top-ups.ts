// Top-ups of an organization's credit: creation, reading, expiry. They are paid as orders are (`payments.ts`).
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newOrderNo } from '../../platform/domain/ids.js';
import { MICRO } from '../domain/credit.js';
import { wonOf } from '../domain/exchange-rate.js';
import { findPayment } from '../store/payments.js';
import {
  changeTopUp,
  countOpenTopUps,
  insertTopUp,
  listTopUps,
  type PaidTopUp,
  readOverdueTopUps,
  readTopUp,
  type TopUpPosition,
} from '../store/top-ups.js';
import { type ChargeDeps, openCharge } from './charges.js';
import type { ExchangeRates } from './exchange-rates.js';
import type { ReconcileDeps } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import type { ShownPayment } from './payment-state.js';
import type { ShowPayment } from './payments.js';
import { payableOf } from './top-up-payables.js';

export type { PaidTopUp, TopUpPosition };

/** A top-up with its payment, as its payer sees it. */
export interface TopUpState extends ShownPayment {
  readonly topUp: PaidTopUp;
}

export type TopUps = ReturnType<typeof createTopUps>;

/** Throws not_found, also for another account's top-up. */
export const topUpState: ShowPayment<TopUpState> = async (q, caller, orderId, checkout = null) => {
  const topUp = await readTopUp(q, caller.account.id, orderId);
  if (!topUp) throw new ApiError('not_found', { message: 'No such top-up.' });
  return { topUp, payment: await findPayment(q, orderId), checkout };
};

export function createTopUps(deps: ChargeDeps & { readonly rates: ExchangeRates }) {
  const { store, clock, limits, rates } = deps;
  return {
    /**
     * Creates a top-up at today's rate. Nothing is charged.
     *
     * @param created called in the transaction
     * @throws ApiError fx_unavailable, account_blocked, too_many_pending_orders
     */
    async create(caller: Caller, usd: number, created?: InTransaction<TopUpState>): Promise<TopUpState> {
      const userId = caller.person?.userId;
      if (userId === undefined) throw new ApiError('console_only');
      if (caller.account.paymentsBlocked) throw new ApiError('account_blocked');
      const { fxDay, source, krwPerUsd } = await rates.today();
      return store.transaction(async (tx) => {
        const accountId = caller.account.id;
        if ((await countOpenTopUps(tx, accountId)) >= limits.pending_topups) {
          throw new ApiError('too_many_pending_orders', {
            message: `At most ${limits.pending_topups} top-ups can be unpaid; pay or cancel one, or wait until one expires.`,
          });
        }
        const now = clock.now();
        const orderId = newOrderNo('TU');
        const topUp = {
          orderId,
          accountId,
          userId,
          usd,
          creditMicroUsd: usd * MICRO,
          amountWon: wonOf(usd, krwPerUsd),
          fxDay,
          fxSource: source,
          krwPerUsd,
          createdAt: now,
          expiresAt: now + limits.topup_ms,
        };
        const payment = await openCharge(tx, deps, payableOf({ ...topUp, state: 'open' }));
        await insertTopUp(tx, topUp);
        wakeForPayment(tx, deps, payment);
        const state = await topUpState(tx, caller, orderId);
        await created?.(tx, state);
        return state;
      });
    },
    /** Newest first. */
    list: (caller: Caller, page: { after: TopUpPosition | null; limit: number }): Promise<PaidTopUp[]> =>
      listTopUps(store, { ...page, accountId: caller.account.id }),
  };
}

/** Expires top-ups that were not paid in time; returns when the next one is due, or null. */
export async function expireTopUps(deps: Pick<ReconcileDeps, 'store' | 'clock' | 'wake'>): Promise<number | null> {
  const { store, clock } = deps;
  for (;;) {
    const { due, nextAt } = await readOverdueTopUps(store, clock.now());
    if (due.length === 0) return nextAt;
    await store.transaction(async (tx) => {
      for (const { orderId, accountId } of due) {
        if (await changeTopUp(tx, orderId, 'expire')) wakeForPayment(tx, deps, { orderNo: orderId, accountId });
      }
    });
  }
}
