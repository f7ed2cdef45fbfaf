// Places orders of new Macs, and reads orders for their account.

import { checkedMacNames, holdNames, takenName } from '../../macs/app/mac-names.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { type WaitDeps, waitUntil } from '../../platform/app/wait-until.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { allot, demandFor, orderable, orderableUnpaid, orderWindow } from '../domain/capacity.js';
import { hasSettled, type Order, type OrderStatus } from '../domain/order.js';
import { startFrom } from '../domain/order-start.js';
import { checkOrderHours, priceOf } from '../domain/pricing.js';
import { findOrder, listOrders, readUnpaidOrders } from '../store/orders.js';
import { readSlotUse } from '../store/slot-use.js';
import { isWaiting as waitsFor } from '../store/waitlist.js';
import { addHold } from './holds.js';
import { noCapacity } from './no-capacity.js';
import type { OrderChangeDeps } from './order-changes.js';
import { type DetailedOrder, detailedOrders } from './order-lookup.js';
import { checkMayBuy, mustWait, tooManyPending, writeOrder } from './order-placement.js';
import { existingTier } from './quotes.js';
import { checkXcode, xcodeRefusal } from './xcode-refusal.js';

export interface OrdersDeps extends Omit<OrderChangeDeps, 'requestRefund' | 'notify'>, WaitDeps {
  readonly store: Store;
  readonly limits: Limits;
}

export interface OrderRequest {
  readonly tier: string;
  readonly hours: number;
  readonly units: number;
  /** Null: as soon as it is paid. */
  readonly startAt: number | null;
  /** Null: the tier's default. */
  readonly xcode: string | null;
  /** As many as `units`, or none: numbered ones. */
  readonly names: readonly string[];
}

/** Stores the reply under the Idempotency-Key, in the order's transaction. */
export type RecordOrder = InTransaction<DetailedOrder>;

export type Orders = ReturnType<typeof createOrders>;

export function createOrders(deps: OrdersDeps) {
  const { store, clock, limits } = deps;

  const existing = async (accountId: number, orderNo: string): Promise<Order> => {
    const order = await findOrder(store, accountId, orderNo);
    if (!order) throw new ApiError('order_not_found');
    return order;
  };
  const withDetail = async (order: Order): Promise<DetailedOrder> => {
    const [only] = await detailedOrders(store, [order]);
    return (
      only ?? { order, rentalIds: [], names: order.names, rentalsStartAt: null, rentalsEndedAt: null, receiptUrl: null }
    );
  };

  return {
    /**
     * Orders Macs and holds their slots until the pay link expires.
     *
     * @throws ApiError account_blocked, invalid_order, invalid_name, invalid_tier, invalid_period, invalid_start,
     * xcode_not_available, sales_closed, too_many_pending_orders, name_taken, no_capacity; the first that applies
     */
    async create(caller: Caller, request: OrderRequest, record: RecordOrder): Promise<DetailedOrder> {
      checkMayBuy(caller);
      const names = checkedMacNames(request.names, request.units, 'invalid_order');
      const tier = await existingTier(store, request.tier);
      checkOrderHours(request.hours, tier, limits);
      const startAt = startFrom(request.startAt, clock.now(), limits);
      checkXcode(request.xcode, tier);
      // A refusal is returned, not thrown, because a rollback would discard the calendar.
      const outcome = await store.transaction(async (tx) =>
        // An operator may have changed its price or closed its sales meanwhile.
        place(deps, tx, caller, { ...request, names, startAt }, await existingTier(tx, request.tier), record),
      );
      if (outcome instanceof ApiError) throw outcome;
      return outcome;
    },

    /** Returns the order. Throws order_not_found, also for another account's order. */
    get: async (accountId: number, orderNo: string) => withDetail(await existing(accountId, orderNo)),

    /** Lists orders, newest first. Throws invalid_query if `before` is not an order of the account. */
    async list(
      accountId: number,
      filter: { status: OrderStatus | null; before: string | null; limit: number },
    ): Promise<{ orders: DetailedOrder[]; nextBefore: string | null }> {
      const { status, limit } = filter;
      const before = filter.before === null ? null : await findOrder(store, accountId, filter.before);
      if (filter.before !== null && before === null) {
        throw new ApiError('invalid_query', { message: 'before must be the number of an order of this account.' });
      }
      const found = await listOrders(store, { accountId, status, before, limit: limit + 1 });
      const page = found.slice(0, limit);
      const last = found.length > page.length ? page.at(-1) : undefined;
      return { orders: await detailedOrders(store, page), nextBefore: last?.orderNo ?? null };
    },

    /**
     * Returns the order once its status has changed or is final, or as it is after `ms` of real time or when `signal`
     * aborts.
     */
    async wait(accountId: number, orderNo: string, ms: number, signal: AbortSignal): Promise<DetailedOrder> {
      const { status } = await existing(accountId, orderNo);
      const on = { topic: 'order', key: orderNo, ms, signal } as const;
      const changed = (order: Order) => order.status !== status || hasSettled(order.status);
      return withDetail(await waitUntil(deps, on, () => existing(accountId, orderNo), changed));
    },
  };
}

/** Chooses and holds the slots of a new order, or returns why it is refused. */
async function place(
  deps: OrdersDeps,
  tx: Transaction,
  caller: Caller,
  { hours, units, startAt, xcode, names }: OrderRequest,
  tier: Tier,
  record: RecordOrder,
): Promise<DetailedOrder | ApiError> {
  const { clock, limits, availability } = deps;
  const now = clock.now();
  const accountId = caller.account.id;
  if (!tier.salesOpen) return new ApiError('sales_closed');
  const tooMany = (await tooManyPending(tx, caller, now, limits)) ?? (await mustWait(tx, caller, now, limits));
  if (tooMany) return tooMany;
  const taken = await takenName(tx, accountId, names);
  if (taken) return taken;
  const demand = demandFor(tier, { accountId, hours, startAt, now }, xcode);
  const isWaiting = await waitsFor(tx, accountId, tier.tier);
  const calendar = await availability.within(tx);
  const request = { tier: tier.tier, hours, ...(startAt === null ? {} : { start: isoTime(startAt) }) };
  const orders = { path: `${API_ROOT}/orders`, request, units, xcode };
  const refused = xcodeRefusal(calendar, tier, demand, orders, limits);
  if (refused) return refused;
  const allotment = allot(calendar, tier, units, demand, limits);
  if ('refused' in allotment) {
    if (allotment.refused === 'sales_closed') return new ApiError('sales_closed');
    const window = orderWindow(startAt, hours, now, limits);
    const unpaid = (await readUnpaidOrders(tx, accountId, now)).filter((order) => {
      const held = orderWindow(order.startAt, order.hours, order.createdAt, limits);
      // One for another time takes no Mac from this order.
      return held.startsAt < window.endsAt && window.startsAt < held.endsAt;
    });
    return noCapacity({
      request: { ...request, ...(xcode === null ? {} : { setup: { xcode } }) },
      units,
      total: (await readSlotUse(tx)).get(tier.tier)?.total ?? 0,
      isWaiting,
      now,
      free: orderable(calendar, tier, demand, limits),
      orderable: orderableUnpaid(calendar, tier, demand, limits),
      holding: unpaid.filter((order) => order.kind === 'rental' && order.tier === tier.tier),
    });
  }
  const { amountWon } = priceOf(tier.priceWon, hours, units);
  const order = await writeOrder(tx, deps, caller, {
    kind: 'rental',
    tier: tier.tier,
    hours,
    units,
    amountWon,
    startAt,
    setup: { xcode },
    names,
    items: [],
  });
  await holdNames(tx, order, names);
  for (const slotId of allotment.slotIds) {
    await addHold(tx, {
      orderNo: order.orderNo,
      accountId,
      slotId,
      rentalId: null,
      ...allotment.window,
    });
  }
  const placed = {
    order,
    rentalIds: [],
    names: order.names,
    rentalsStartAt: null,
    rentalsEndedAt: null,
    receiptUrl: null,
  };
  await record(tx, placed);
  return placed;
}
