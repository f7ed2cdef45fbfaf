// What operators read about all organizations: themselves, their orders, payments and waitlist entries, and the tiers.
import type { ReadUsageNow, UsageNow } from '../../access/app/account-usage.js';
import { settlementsOf } from '../../payments/app/manual-settlements.js';
import type { ManualSettlement } from '../../payments/domain/manual-settlement.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { type Capacity, readCapacity } from '../../renting/app/capacity.js';
import { type ListedEntry, type ListedOrder, listAllOrders, listWaiting } from '../store/order-list.js';
import { countMembersAndMacs, listOrganizations } from '../store/organization-list.js';
import {
  type ListedPayment,
  listUnsettled,
  type OrderDetail,
  readOrderDetail,
  refundsOf,
} from '../store/payment-list.js';
import { listRentals } from '../store/rental-list.js';

export type { ListedEntry, ListedOrder } from '../store/order-list.js';
export type { ListedOrganization } from '../store/organization-list.js';
export type { ListedPayment } from '../store/payment-list.js';
export type { ListedRental } from '../store/rental-list.js';

export interface OrderForOperators extends OrderDetail {
  readonly order: ListedOrder;
  readonly refunds: readonly ListedPayment[];
  readonly settlements: readonly ManualSettlement[];
}

export type OperatorLists = ReturnType<typeof createOperatorLists>;

export function createOperatorLists(deps: { readonly store: Queries; readonly usageNow: ReadUsageNow }) {
  const { store } = deps;
  return {
    organizations: (page: Parameters<typeof listOrganizations>[1]) => listOrganizations(store, page),

    /** What an organization has and uses. */
    async countsAndUsage(accountId: number): Promise<{ members: number; macs: number; usage: UsageNow }> {
      const counts = await countMembersAndMacs(store, accountId);
      return { ...counts, usage: await deps.usageNow(accountId) };
    },

    rentals: (accountId: number, page: Parameters<typeof listRentals>[2]) => listRentals(store, accountId, page),

    orders: (page: Omit<Parameters<typeof listAllOrders>[1], 'orderNo'>) =>
      listAllOrders(store, { ...page, orderNo: null }),

    /** Throws order_not_found. */
    async order(orderNo: string): Promise<OrderForOperators> {
      const none = { accountId: null, status: null, before: null };
      const [order] = await listAllOrders(store, { ...none, orderNo, limit: 1 });
      if (!order) throw new ApiError('order_not_found');
      const refunds = await refundsOf(store, orderNo);
      const settlements = await settlementsOf(store, orderNo);
      return { order, refunds, settlements, ...(await readOrderDetail(store, orderNo)) };
    },

    /** Payments and refunds that are not settled, newest first. */
    unsettled: (page: Parameters<typeof listUnsettled>[1]) => listUnsettled(store, page),

    waiting: (page: Parameters<typeof listWaiting>[1]): Promise<ListedEntry[]> => listWaiting(store, page),

    tiers: async (): Promise<Capacity['tiers']> => (await readCapacity(store)).tiers,
  };
}
