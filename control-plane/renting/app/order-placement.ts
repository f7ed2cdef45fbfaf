// Common steps of every new order: check that the account may buy, check its unpaid orders, insert the order.
import type { Clock } from '../../../shared/clock.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { Account, Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newOrderNo } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Order } from '../domain/order.js';
import { waitAfterUnpaid } from '../domain/unpaid-orders.js';
import { countPending, insertOrder, type NewOrder, readEndedUnpaid } from '../store/orders.js';
import { wakeForOrder } from './order-changes.js';

/** What decides whether an account may order. */
export type Buyer = Pick<Account, 'id' | 'paymentsBlocked'>;

/** Returns why the account can order no new Macs at all now, or null. */
export async function orderBarrier(q: Queries, account: Buyer, now: number, limits: Limits): Promise<ApiError | null> {
  if (account.paymentsBlocked) return new ApiError('account_blocked');
  return (await tooManyPending(q, { account }, now, limits)) ?? (await mustWait(q, { account }, now, limits));
}

/** Throws account_blocked. */
export function checkMayBuy({ account }: { readonly account: Buyer }): void {
  if (account.paymentsBlocked) throw new ApiError('account_blocked');
}

/** Returns an error if the account has reached the limit of unpaid orders. */
export async function tooManyPending(
  q: Queries,
  { account }: { readonly account: Buyer },
  now: number,
  limits: Limits,
): Promise<ApiError | null> {
  const { pending, firstExpiresAt } = await countPending(q, { accountId: account.id, now });
  if (pending < limits.pending_orders) return null;
  return new ApiError('too_many_pending_orders', {
    ...(firstExpiresAt === null ? {} : { retryAfterS: Math.ceil((firstExpiresAt - now) / 1000) }),
    detail: { pending_orders: pending },
    next: [
      {
        action: 'list_unpaid_orders',
        method: 'GET',
        path: `${API_ROOT}/orders?status=awaiting_payment`,
      },
    ],
  });
}

/** Returns an error if the account must wait before it orders new Macs, because earlier orders ended unpaid. */
export async function mustWait(
  q: Queries,
  { account }: { readonly account: Buyer },
  now: number,
  limits: Limits,
): Promise<ApiError | null> {
  const since = now - limits.unpaid_wait_ms - limits.unpaid_window_ms;
  const ended = await readEndedUnpaid(q, { accountId: account.id, since });
  const until = waitAfterUnpaid(ended, now, limits);
  if (until === null) return null;
  const latest = ended.slice(0, 2).map(({ orderNo }) => orderNo);
  return new ApiError('too_many_pending_orders', {
    retryAfterS: Math.ceil((until - now) / 1000),
    message:
      `Orders of this account held Macs and ended unpaid, the latest of them ${latest.join(' and ')}. ` +
      `New Macs can be ordered again at ${new Date(until).toISOString()}; rented ones can be extended.`,
    next: [{ action: 'list_expired_orders', method: 'GET', path: `${API_ROOT}/orders?status=expired` }],
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
