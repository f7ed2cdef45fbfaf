// Orders: what was asked for, and how far it has come.

import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, SqlValue, Transaction } from '../../platform/store/sql.js';
import {
  type ExtensionItem,
  type Order,
  type OrderEvent,
  type OrderKind,
  type OrderStatus,
  orderTransitions,
} from '../domain/order.js';

interface Row {
  order_no: string;
  account_id: number;
  key_id: string | null;
  kind: OrderKind;
  status: OrderStatus;
  tier: string | null;
  hours: number;
  units: number;
  amount_won: number;
  start_at: number | null;
  setup: string;
  items: string;
  pay_expires_at: number;
  paid_at: number | null;
  ended_at: number | null;
  end_reason: Order['endReason'];
  refunded_won: number;
  refunded_at: number | null;
  created_at: number;
}

const toOrder = (row: Row): Order => ({
  orderNo: row.order_no,
  accountId: row.account_id,
  keyId: row.key_id,
  kind: row.kind,
  status: row.status,
  tier: row.tier,
  hours: row.hours,
  units: row.units,
  amountWon: row.amount_won,
  startAt: row.start_at,
  setup: readSetup(row.setup),
  items: readItems(row.items),
  payExpiresAt: row.pay_expires_at,
  paidAt: row.paid_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  refundedWon: row.refunded_won,
  refundedAt: row.refunded_at,
  createdAt: row.created_at,
});

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

function readSetup(column: string): Order['setup'] {
  const xcode = field(JSON.parse(column), 'xcode');
  return { xcode: typeof xcode === 'string' ? xcode : null };
}

function readItems(column: string): ExtensionItem[] {
  const value: unknown = JSON.parse(column);
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => ({
    rentalId: String(field(item, 'rentalId')),
    tier: String(field(item, 'tier')),
    amountWon: Number(field(item, 'amountWon')),
    refunded: field(item, 'refunded') === true,
  }));
}

export type NewOrder = Omit<
  Order,
  'status' | 'paidAt' | 'endedAt' | 'endReason' | 'refundedWon' | 'refundedAt'
>;

export async function insertOrder(tx: Transaction, order: NewOrder): Promise<Order> {
  const row = await tx.get<Row>(
    `INSERT INTO orders (order_no, account_id, key_id, kind, status, tier, hours, units, amount_won, start_at,
       setup, items, pay_expires_at, created_at)
     VALUES (:orderNo, :accountId, :keyId, :kind, 'awaiting_payment', :tier, :hours, :units, :amountWon, :startAt,
       :setup, :items, :payExpiresAt, :createdAt) RETURNING *`,
    { ...order, setup: JSON.stringify(order.setup), items: JSON.stringify(order.items) },
  );
  if (!row) throw new Error('an order that was inserted was not returned');
  return toOrder(row);
}

/** Null too when it is another account's. */
export async function findOrder(q: Queries, accountId: number, orderNo: string): Promise<Order | null> {
  const row = await q.get<Row>('SELECT * FROM orders WHERE order_no = :orderNo AND account_id = :accountId', {
    orderNo,
    accountId,
  });
  return row ? toOrder(row) : null;
}

/** Whoever's it is; for what runs by itself and for operators. */
export async function findAnyOrder(q: Queries, orderNo: string): Promise<Order | null> {
  const row = await q.get<Row>('SELECT * FROM orders WHERE order_no = :orderNo', { orderNo });
  return row ? toOrder(row) : null;
}

/** Newest first. */
export async function listOrders(
  q: Queries,
  page: {
    accountId: number;
    status: OrderStatus | null;
    before: Pick<Order, 'createdAt' | 'orderNo'> | null;
    limit: number;
  },
): Promise<Order[]> {
  const { accountId, status, before, limit } = page;
  const rows = await q.all<Row>(
    `SELECT * FROM orders WHERE account_id = :accountId
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
  return rows.map(toOrder);
}

/** What of an order stands elsewhere. */
export interface OrderDetail {
  /** Rentals that the order has created or extends. */
  readonly rentalIds: readonly string[];
  readonly receiptUrl: string | null;
}

export async function readOrderDetails(
  q: Queries,
  orders: readonly Order[],
): Promise<Map<string, OrderDetail>> {
  const created = new Map<string, string[]>();
  const receipts = new Map<string, string | null>();
  for (const { list, params } of inChunks(orders.map((order) => order.orderNo))) {
    const rentals = await q.all<{ order_no: string; rental_id: string }>(
      `SELECT r.order_no, r.rental_id FROM rentals r JOIN macs m ON m.rental_id = r.rental_id
       WHERE r.order_no IN (${list}) ORDER BY m.created_at, r.rental_id`,
      params,
    );
    for (const { order_no, rental_id } of rentals) {
      created.set(order_no, [...(created.get(order_no) ?? []), rental_id]);
    }
    const payments = await q.all<{ order_no: string; receipt_url: string | null }>(
      `SELECT order_no, receipt_url FROM payments WHERE order_no IN (${list})`,
      params,
    );
    for (const { order_no, receipt_url } of payments) receipts.set(order_no, receipt_url);
  }
  return new Map(
    orders.map(({ orderNo, items }) => [
      orderNo,
      {
        rentalIds: created.get(orderNo) ?? items.map((item) => item.rentalId),
        receiptUrl: receipts.get(orderNo) ?? null,
      },
    ]),
  );
}

/** Orders of the account that can be paid now, oldest first. */
export async function readUnpaidOrders(q: Queries, accountId: number, now: number): Promise<Order[]> {
  const rows = await q.all<Row>(
    `SELECT * FROM orders WHERE status = 'awaiting_payment' AND pay_expires_at > :now AND account_id = :accountId
     ORDER BY created_at, order_no`,
    { accountId, now },
  );
  return rows.map(toOrder);
}

/** Orders that await payment of one key, or of all persons of the account, and when the first of them expires. */
export async function countPending(
  q: Queries,
  of: { accountId: number; keyId: string | null; now: number },
): Promise<{ pending: number; firstExpiresAt: number | null }> {
  const { accountId, keyId, now } = of;
  const row = await q.get<{ pending: number; first: number | null }>(
    `SELECT COUNT(*) AS pending, MIN(pay_expires_at) AS first FROM orders
     WHERE status = 'awaiting_payment' AND pay_expires_at > :now
       AND ${keyId === null ? 'key_id IS NULL AND account_id = :accountId' : 'key_id = :keyId'}`,
    keyId === null ? { accountId, now } : { keyId, now },
  );
  return { pending: row?.pending ?? 0, firstExpiresAt: row?.first ?? null };
}

/**
 * Unpaid orders whose pay link is over, and when the next one is. One whose payment may have been made is not among
 * them: it waits until the provider has answered for certain.
 */
export async function readOverdueOrders(
  q: Queries,
  now: number,
): Promise<{ due: Order[]; nextAt: number | null }> {
  const due = await q.all<Row>(
    `SELECT o.* FROM orders o WHERE o.status = 'awaiting_payment' AND o.pay_expires_at <= :now
       AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_no = o.order_no AND p.status = 'confirming')
     ORDER BY o.pay_expires_at LIMIT 100`,
    { now },
  );
  const next = await q.get<{ at: number | null }>(
    `SELECT MIN(pay_expires_at) AS at FROM orders WHERE status = 'awaiting_payment' AND pay_expires_at > :now`,
    { now },
  );
  return { due: due.map(toOrder), nextAt: next?.at ?? null };
}

const CHANGE_COLUMNS = { paidAt: 'paid_at', endedAt: 'ended_at', endReason: 'end_reason' } as const;
export type OrderChanges = Partial<Pick<Order, keyof typeof CHANGE_COLUMNS>>;

/** Takes an order from the status in which it was seen to where `event` leads; null when it cannot go there any more. */
export async function changeOrder(
  tx: Transaction,
  seen: Pick<Order, 'orderNo' | 'status'>,
  event: OrderEvent,
  changes: OrderChanges,
): Promise<Order | null> {
  const to = orderTransitions[seen.status][event];
  if (to === null) return null;
  const params: Record<string, SqlValue> = { orderNo: seen.orderNo, from: seen.status, to };
  let set = '';
  for (const name of Object.keys(changes) as (keyof OrderChanges)[]) {
    set += `, ${CHANGE_COLUMNS[name]} = :${name}`;
    params[name] = changes[name] ?? null;
  }
  const row = await tx.get<Row>(
    `UPDATE orders SET status = :to${set} WHERE order_no = :orderNo AND status = :from RETURNING *`,
    params,
  );
  return row ? toOrder(row) : null;
}

/** Extension orders of the account that are paid, or may yet be; oldest first. */
export async function readExtensionsOf(q: Queries, accountId: number): Promise<Order[]> {
  const rows = await q.all<Row>(
    `SELECT * FROM orders WHERE account_id = :accountId AND kind = 'extension'
       AND status IN ('awaiting_payment', 'paid', 'ready') ORDER BY created_at, order_no`,
    { accountId },
  );
  return rows.map(toOrder);
}

/**
 * Adds to what goes back of an order's money; false when something else was added since the order was read.
 *
 * @param refund endReason: null while some of its money stays
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
     WHERE order_no = :orderNo AND refunded_won = :seen AND status IN ('ready', 'canceled')`,
    {
      ...{ orderNo: seen.orderNo, seen: seen.refundedWon },
      ...{ amountWon, endReason, now, items: JSON.stringify(refund.items) },
    },
  );
  return changes === 1;
}

/** How many of an order's Macs have been ready once, and how many it has. */
export async function countReadyMacs(q: Queries, orderNo: string): Promise<{ macs: number; ready: number }> {
  const row = await q.get<{ macs: number; ready: number | null }>(
    `SELECT COUNT(*) AS macs, SUM(CASE WHEN m.ready_at IS NULL THEN 0 ELSE 1 END) AS ready
     FROM rentals r JOIN macs m ON m.rental_id = r.rental_id WHERE r.order_no = :orderNo`,
    { orderNo },
  );
  return { macs: row?.macs ?? 0, ready: row?.ready ?? 0 };
}
