// Orders: the request and its status.

import type { NewOf } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import {
  type ExtensionItem,
  type Order,
  type OrderEvent,
  type OrderStatus,
  orderFields,
  orderTransitions,
} from '../domain/order.js';
import type { EndedUnpaid } from '../domain/unpaid-orders.js';

export const orders = table('orders', orderFields);

export type NewOrder = NewOf<typeof orders.fields>;

export const insertOrder = orders.insert;

/** Returns null for another account's row. */
export function findOrder(q: Queries, accountId: number, orderNo: string): Promise<Order | null> {
  return orders.get(q, 'WHERE order_no = :orderNo AND account_id = :accountId', { orderNo, accountId });
}

/** Returns the order of any account; for workers and operators. */
export function findAnyOrder(q: Queries, orderNo: string): Promise<Order | null> {
  return orders.get(q, 'WHERE order_no = :orderNo', { orderNo });
}

/** Newest first. */
export function listOrders(
  q: Queries,
  page: {
    accountId: number;
    status: OrderStatus | null;
    before: Pick<Order, 'createdAt' | 'orderNo'> | null;
    limit: number;
  },
): Promise<Order[]> {
  const { accountId, status, before, limit } = page;
  return orders.all(
    q,
    `WHERE account_id = :accountId
       ${status === null ? '' : 'AND status = :status'}
       ${before === null ? '' : 'AND (created_at < :at OR (created_at = :at AND order_no < :orderNo))'}
     ORDER BY created_at DESC, order_no DESC LIMIT :limit`,
    {
      accountId,
      limit,
      ...(status === null ? {} : { status }),
      ...(before === null ? {} : { at: before.createdAt, orderNo: before.orderNo }),
    },
  );
}

/** Fields of an order from other tables. */
export interface OrderDetail {
  /** Rentals that the order created or extends. */
  readonly rentalIds: readonly string[];
  /** Of these rentals, in their order; before there are any, as the order asked for them. */
  readonly names: readonly string[];
  /** When they start, while all of them are reserved; otherwise null. */
  readonly rentalsStartAt: number | null;
  /** When the last of these rentals ended; null: there is none, or one has not ended. */
  readonly rentalsEndedAt: number | null;
  readonly receiptUrl: string | null;
}

interface RentalOfOrder {
  readonly rental_id: string;
  readonly name: string;
  readonly state: string;
  readonly starts_at: number;
  readonly ended_at: number | null;
}
const rentalColumns = 'r.rental_id, m.name, m.state, r.starts_at, r.ended_at';

function timesOf(rentals: readonly RentalOfOrder[]): Pick<OrderDetail, 'rentalsStartAt' | 'rentalsEndedAt'> {
  const ends = rentals.map(({ ended_at }) => ended_at).filter((at) => at !== null);
  const reserved = rentals.length > 0 && rentals.every(({ state }) => state === 'reserved');
  return {
    rentalsStartAt: reserved ? Math.min(...rentals.map(({ starts_at }) => starts_at)) : null,
    rentalsEndedAt: rentals.length > 0 && ends.length === rentals.length ? Math.max(...ends) : null,
  };
}

export async function readOrderDetails(q: Queries, orders: readonly Order[]): Promise<Map<string, OrderDetail>> {
  const created = new Map<string, RentalOfOrder[]>();
  const receipts = new Map<string, string | null>();
  for (const { list, params } of inChunks(orders.map((order) => order.orderNo))) {
    const rentals = await q.all<RentalOfOrder & { order_no: string }>(
      `SELECT r.order_no, ${rentalColumns} FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
       WHERE r.order_no IN (${list}) ORDER BY m.created_at, r.rental_id`,
      params,
    );
    for (const { order_no, ...rental } of rentals) created.set(order_no, [...(created.get(order_no) ?? []), rental]);
    const payments = await q.all<{ order_no: string; receipt_url: string | null }>(
      `SELECT order_no, receipt_url FROM payments WHERE order_no IN (${list})`,
      params,
    );
    for (const { order_no, receipt_url } of payments) receipts.set(order_no, receipt_url);
  }
  const extended = new Map<string, RentalOfOrder>();
  const items = orders.flatMap((order) => order.items.map(({ rentalId }) => rentalId));
  for (const { list, params } of inChunks(items)) {
    const rentals = await q.all<RentalOfOrder>(
      `SELECT ${rentalColumns} FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
       WHERE r.rental_id IN (${list})`,
      params,
    );
    for (const rental of rentals) extended.set(rental.rental_id, rental);
  }
  return new Map(
    orders.map(({ orderNo, items, names }) => {
      const own = created.get(orderNo);
      return [
        orderNo,
        {
          ...(own
            ? { rentalIds: own.map(({ rental_id }) => rental_id), names: own.map(({ name }) => name) }
            : {
                rentalIds: items.map(({ rentalId }) => rentalId),
                names:
                  items.length === 0 ? names : items.map(({ rentalId }) => extended.get(rentalId)?.name ?? rentalId),
              }),
          ...timesOf(own ?? items.flatMap(({ rentalId }) => extended.get(rentalId) ?? [])),
          receiptUrl: receipts.get(orderNo) ?? null,
        },
      ];
    }),
  );
}

/** Returns orders of the account that can be paid now, oldest first. */
export function readUnpaidOrders(q: Queries, accountId: number, now: number): Promise<Order[]> {
  return orders.all(
    q,
    `WHERE status = 'awaiting_payment' AND pay_expires_at > :now AND account_id = :accountId
     ORDER BY created_at, order_no`,
    { accountId, now },
  );
}

/** Returns the number of unpaid orders of an account, and when the first of them expires. */
export async function countPending(
  q: Queries,
  of: { accountId: number; now: number },
): Promise<{ pending: number; firstExpiresAt: number | null }> {
  const row = await q.get<{ pending: number; first: number | null }>(
    `SELECT COUNT(*) AS pending, MIN(pay_expires_at) AS first FROM orders
     WHERE status = 'awaiting_payment' AND pay_expires_at > :now AND account_id = :accountId`,
    of,
  );
  return { pending: row?.pending ?? 0, firstExpiresAt: row?.first ?? null };
}

/** Returns the account's orders of new Macs that ended unpaid since a time, latest first. */
export async function readEndedUnpaid(
  q: Queries,
  of: { accountId: number; since: number },
): Promise<(EndedUnpaid & Pick<Order, 'orderNo'>)[]> {
  const rows = await orders.all(
    q,
    `WHERE account_id = :accountId AND paid_at IS NULL AND ended_at > :since AND kind = 'rental'
       AND end_reason IN ('expired', 'canceled_by_person') ORDER BY ended_at DESC`,
    of,
  );
  return rows.map(({ endedAt, ...order }) => ({ ...order, endedAt: endedAt ?? 0 }));
}

/**
 * Returns unpaid orders whose pay link has expired, and when the next one does. Excludes orders with a payment in
 * doubt, which wait for the provider's answer.
 */
export async function readOverdueOrders(q: Queries, now: number): Promise<{ due: Order[]; nextAt: number | null }> {
  const due = await orders.all(
    q,
    `WHERE status = 'awaiting_payment' AND pay_expires_at <= :now
       AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_no = orders.order_no AND p.status = 'confirming')
     ORDER BY pay_expires_at LIMIT 100`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(pay_expires_at) AS at FROM orders WHERE status = 'awaiting_payment' AND pay_expires_at > :now`,
    { now },
  );
  return { due, nextAt: next?.at ?? null };
}

export type OrderChanges = Partial<Pick<Order, 'paidAt' | 'endedAt' | 'endReason'>>;

/** Applies `event` to an order in the status that was read. Returns null if the transition is no longer possible. */
export async function changeOrder(
  tx: Transaction,
  seen: Pick<Order, 'orderNo' | 'status'>,
  event: OrderEvent,
  changes: OrderChanges,
): Promise<Order | null> {
  const to = orderTransitions[seen.status][event];
  if (to === null) return null;
  return orders.change(tx, { orderNo: seen.orderNo, status: seen.status }, { ...changes, status: to });
}

/** Returns the account's extension orders that are paid or can still be paid, oldest first. */
export function readExtensionsOf(q: Queries, accountId: number): Promise<Order[]> {
  return orders.all(
    q,
    `WHERE account_id = :accountId AND kind = 'extension'
       AND status IN ('awaiting_payment', 'paid', 'ready') ORDER BY created_at, order_no`,
    { accountId },
  );
}

/**
 * Adds to the refunded amount of an order. Returns false if another refund was added since the order was read.
 *
 * @param refund endReason: null for a partial refund
 */
export async function recordRefund(
  tx: Transaction,
  seen: Pick<Order, 'orderNo' | 'refundedWon'>,
  refund: {
    amountWon: number;
    items: readonly ExtensionItem[];
    endReason: Order['endReason'];
    now: number;
  },
): Promise<boolean> {
  const { amountWon, endReason, now } = refund;
  const { changes } = await tx.run(
    `UPDATE orders SET refunded_won = refunded_won + :amountWon, refunded_at = :now, items = :items,
       ended_at = CASE WHEN :endReason IS NULL THEN ended_at ELSE :now END, end_reason = COALESCE(:endReason, end_reason)
     WHERE order_no = :orderNo AND refunded_won = :seen AND status IN ('paid', 'provisioning', 'ready', 'canceled')`,
    {
      orderNo: seen.orderNo,
      seen: seen.refundedWon,
      amountWon,
      endReason,
      now,
      items: JSON.stringify(refund.items),
    },
  );
  return changes === 1;
}

/** Returns how many of an order's Macs have been ready, and how many it has. */
export async function countReadyMacs(q: Queries, orderNo: string): Promise<{ macs: number; ready: number }> {
  const row = await q.get<{ macs: number; ready: number | null }>(
    `SELECT COUNT(*) AS macs, SUM(CASE WHEN m.ready_at IS NULL THEN 0 ELSE 1 END) AS ready
     FROM rentals r JOIN macs m ON m.rental_id = r.rental_id WHERE r.order_no = :orderNo`,
    { orderNo },
  );
  return { macs: row?.macs ?? 0, ready: row?.ready ?? 0 };
}
