// Common steps of every new order: may the account buy, may the key order, and the order's row.
import type { Clock } from '../../../shared/clock.js';
import { API_PATH } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newOrderNo } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Order } from '../domain/order.js';
import { countPending, insertOrder, type NewOrder } from '../store/orders.js';
import { wakeForOrder } from './order-changes.js';

/** Throws account_blocked. */
export function checkMayBuy({ account }: Caller): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
}

/** Returns an error if the key, or the people of the account together, have reached the limit of unpaid orders. */
export async function tooManyPending(
  tx: Transaction,
  caller: Caller,
  now: number,
  limits: Limits,
): Promise<ApiError | null> {
  const keyId = caller.key?.id ?? null;
  const { pending, firstExpiresAt } = await countPending(tx, { accountId: caller.account.id, keyId, now });
  if (pending < limits.pending_orders) return null;
  return new ApiError('too_many_pending_orders', {
    ...(firstExpiresAt === null ? {} : { retryAfterS: Math.ceil((firstExpiresAt - now) / 1000) }),
    detail: { pending_orders: pending },
    next: [
      {
        action: 'list_unpaid_orders',
        method: 'GET',
        path: `${API_PATH}/orders?status=awaiting_payment`,
      },
    ],
  });
}

/** Writes the order, which awaits payment until its pay link expires. */
export async function writeOrder(
  tx: Transaction,
  deps: { clock: Clock; wake: Wake; limits: Limits },
  caller: Caller,
  order: Omit<NewOrder, 'orderNo' | 'accountId' | 'keyId' | 'payExpiresAt' | 'createdAt'>,
): Promise<Order> {
  const now = deps.clock.now();
  const written = await insertOrder(tx, {
    ...order,
    orderNo: newOrderNo(),
    accountId: caller.account.id,
    keyId: caller.key?.id ?? null,
    payExpiresAt: now + deps.limits.pay_link_ms,
    createdAt: now,
  });
  wakeForOrder(tx, deps.wake, written);
  return written;
}
