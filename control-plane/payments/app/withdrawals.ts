// Withdrawal of a top-up: its credit is reserved, then the money goes back at the provider, then the credit is taken. A
// withdrawal that the provider refuses releases the credit.
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Queries } from '../../platform/store/sql.js';
import { creditFor, wonFor } from '../domain/credit.js';
import { topUpStatus } from '../domain/top-up.js';
import { readAvailable } from '../store/credit-ledger.js';
import { insertCancellation } from '../store/payment-cancellations.js';
import type { PaidTopUp } from '../store/top-ups.js';
import type { ReconcileDeps } from './payment-reconciliation.js';
import { wakeForPayment } from './payment-settlement.js';
import { carryOutNow } from './refunds.js';
import { type TopUpState, topUpState } from './top-ups.js';

export interface Withdrawals {
  /**
   * Pays back a top-up, or `krw` of it. Returns once the provider has been asked; `withdrawingWon` tells what it has
   * not confirmed yet.
   *
   * @param krw null: all that has not been paid back
   * @param reserved called in the transaction of the reservation
   * @throws ApiError topup_not_withdrawable, withdrawal_expired, credit_spent, invalid_request (more than is left),
   *   account_blocked
   */
  withdraw(
    caller: Caller,
    orderId: string,
    krw: number | null,
    reserved?: InTransaction<TopUpState>,
  ): Promise<TopUpState>;
  /** Returns the most won that can be withdrawn now. */
  withdrawable(topUp: PaidTopUp): Promise<number>;
}

export const createWithdrawals = (deps: ReconcileDeps): Withdrawals => ({
  withdraw: (...request) => withdraw(deps, ...request),
  withdrawable: async (topUp) => (refusalOf(deps, topUp) === null ? withdrawableWon(deps.store, topUp) : 0),
});

async function withdraw(
  deps: ReconcileDeps,
  caller: Caller,
  orderId: string,
  krw: number | null,
  reserved?: InTransaction<TopUpState>,
): Promise<TopUpState> {
  const { store, clock } = deps;
  if (caller.account.paymentsBlocked) throw new ApiError('account_blocked');
  const cancellationId = newId('pc');
  await store.transaction(async (tx) => {
    const { topUp, payment } = await topUpState(tx, caller, orderId);
    const refusal = refusalOf(deps, topUp);
    if (refusal) throw refusal;
    const won = krw ?? leftOf(topUp);
    if (won > leftOf(topUp)) {
      throw fieldError('invalid_request', 'krw', fieldProblem('more_than_left', { most: leftOf(topUp) }));
    }
    const creditMicroUsd = creditFor(topUp, goneOf(topUp), won);
    if (creditMicroUsd > (await readAvailable(tx, topUp.accountId))) {
      const withdrawable = await withdrawableWon(tx, topUp);
      throw new ApiError('credit_spent', {
        message: `Unspent credit covers ${withdrawable} of ${won} won.`,
        detail: { withdrawable_krw: withdrawable },
      });
    }
    await insertCancellation(tx, {
      cancellationId,
      orderNo: orderId,
      accountId: topUp.accountId,
      amountWon: won,
      creditMicroUsd,
      reason: 'withdrawn',
      now: clock.now(),
    });
    await reserved?.(tx, await topUpState(tx, caller, orderId));
    if (payment) wakeForPayment(tx, deps, payment);
  });
  await carryOutNow(deps, cancellationId);
  return topUpState(store, caller, orderId);
}

/** Returns the most that can be withdrawn of a paid top-up. */
const withdrawableWon = async (q: Queries, topUp: PaidTopUp): Promise<number> =>
  wonFor(topUp, goneOf(topUp), await readAvailable(q, topUp.accountId));

const goneOf = ({ cancelledWon, withdrawingWon }: PaidTopUp) => cancelledWon + withdrawingWon;
const leftOf = (topUp: PaidTopUp) => topUp.amountWon - goneOf(topUp);

/** Returns why nothing of it can be withdrawn, or null. */
function refusalOf({ clock, limits }: ReconcileDeps, topUp: PaidTopUp): ApiError | null {
  const status = topUpStatus(topUp, { status: topUp.paymentStatus, cancelledWon: topUp.cancelledWon });
  if (status !== 'paid' || leftOf(topUp) <= 0) {
    const why = status === 'paid' ? 'all of it is being withdrawn' : `it is ${status}`;
    return new ApiError('topup_not_withdrawable', { message: `The top-up cannot be withdrawn: ${why}.` });
  }
  const isOver = clock.now() >= (topUp.paidAt ?? 0) + limits.topup_withdraw_ms;
  return isOver ? new ApiError('withdrawal_expired') : null;
}
