// Reads orders for other capabilities, inside or outside of a transaction.
import type { Queries } from '../../platform/store/sql.js';
import type { Order, OrderStatus } from '../domain/order.js';
import { listOrders, type OrderDetail, readOrderDetails } from '../store/orders.js';

export {
  findAnyOrder as findOrderOfAnyAccount,
  findOrder as findOrderOf,
  readUnpaidOrders as unpaidOrders,
} from '../store/orders.js';

export interface DetailedOrder extends OrderDetail {
  readonly order: Order;
}

/** Adds the rentals and the receipt of each order. */
export async function detailedOrders(q: Queries, orders: readonly Order[]): Promise<DetailedOrder[]> {
  const details = await readOrderDetails(q, orders);
  return orders.map((order) => ({
    order,
    rentalIds: details.get(order.orderNo)?.rentalIds ?? [],
    names: details.get(order.orderNo)?.names ?? order.names,
    rentalsStartAt: details.get(order.orderNo)?.rentalsStartAt ?? null,
    rentalsEndedAt: details.get(order.orderNo)?.rentalsEndedAt ?? null,
    receiptUrl: details.get(order.orderNo)?.receiptUrl ?? null,
  }));
}

/** Returns the newest orders of the account in each of these statuses. */
export async function newestOrders(
  q: Queries,
  accountId: number,
  statuses: readonly OrderStatus[],
  limit: number,
): Promise<Order[]> {
  const lists = statuses.map((status) => listOrders(q, { accountId, status, before: null, limit }));
  return (await Promise.all(lists)).flat();
}
