// Ends orders: cancels, expires and refunds them. For use inside a transaction.
import { releaseNames } from '../../macs/app/mac-names.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Order } from '../domain/order.js';
import {
  itemsAfter,
  type RefundedLine,
  type RefundLine,
  type RefundReason,
  refundOf,
  refundsOfExtensions,
} from '../domain/refund.js';
import { refundNotice } from '../domain/refund-notice.js';
import type { RentalWithMachine } from '../domain/rental.js';
import { changeOrder, findAnyOrder, readExtensionsOf, readOverdueOrders, recordRefund } from '../store/orders.js';
import { releaseHolds } from './holds.js';
import { type OrderChangeDeps, wakeForOrder } from './order-changes.js';
import { cutRental, findLiveRental, lengthenRental, rentalsOfOrder } from './rentals.js';
import { type RentingEventDeps, recordOrderEvent } from './renting-events.js';

/**
 * Cancels an order that awaits payment and frees its holds and names.
 *
 * @returns false if it no longer awaits payment
 */
export async function cancelUnpaid(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'clock' | 'wake' | 'site'>,
  order: Order,
  reason: NonNullable<Order['endReason']>,
): Promise<boolean> {
  if (order.status !== 'awaiting_payment') return false;
  const event = reason === 'expired' ? 'expire' : 'cancel';
  const ended = await changeOrder(tx, order, event, { endedAt: deps.clock.now(), endReason: reason });
  if (!ended) return false;
  await releaseHolds(tx, order.orderNo);
  await releaseNames(tx, order.orderNo);
  if (event === 'expire') await recordOrderEvent(tx, deps, 'order.expired', ended);
  wakeForOrder(tx, deps.wake, order);
  return true;
}

/** Returns what `giveBack` would do; empty if nothing is left to refund. */
export async function planRefund(q: Queries, order: Order): Promise<RefundLine[]> {
  const own = refundOf(order);
  if (!own) return [];
  if (order.kind === 'extension') return [own];
  const rentalIds = new Set((await rentalsOfOrder(q, order.orderNo)).map((one) => one.rentalId));
  return [own, ...refundsOfExtensions(await readExtensionsOf(q, order.accountId), rentalIds)];
}

/**
 * Returns the rentals that end by a refund of an order: all Macs of a rental order, and those that an extension kept until
 * now.
 */
export async function endingRentals(
  q: Queries,
  order: Order,
  lines: readonly RefundLine[],
  now: number,
): Promise<RentalWithMachine[]> {
  if (order.kind === 'rental') {
    return (await rentalsOfOrder(q, order.orderNo)).filter(({ endedAt }) => endedAt === null);
  }
  const ending: RentalWithMachine[] = [];
  for (const { items } of lines) {
    for (const { rentalId } of items) {
      const rental = await findLiveRental(q, rentalId);
      if (rental && endWithout(rental, order.hours, now) <= now) ending.push(rental);
    }
  }
  return ending;
}

/** Returns when a rental ends if `hours` are taken from its time. */
const endWithout = (rental: Pick<RentalWithMachine, 'endsAt'>, hours: number, now: number) =>
  Math.max(now, rental.endsAt - hours * HOUR_MS);

/**
 * Refunds a paid order in full, and with a rental order also its extensions. The Macs of a rental order end; the unused
 * time of an extension is removed. The account's people are notified.
 *
 * @returns what was done per order; empty if there was nothing to refund
 */
export async function giveBack(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  reason: RefundReason,
): Promise<RefundedLine[]> {
  const planned = await planRefund(tx, order);
  if (planned.length === 0) return [];
  const ended = await endingRentals(tx, order, planned, deps.clock.now());
  const lines: RefundedLine[] = [];
  for (const line of planned) {
    let creditMicroUsd: number | null = null;
    if (line.action === 'cancel') await cancelUnpaid(tx, deps, line.order, reason);
    else creditMicroUsd = await refundLine(tx, deps, line, reason);
    lines.push({ ...line, creditMicroUsd });
  }
  // Builds on them are settled as at the end of any rental.
  if (order.kind === 'rental') for (const rental of ended) await cutRental(tx, deps, rental);
  await deps.notify(tx, {
    accountId: order.accountId,
    kind: reason === 'no_capacity' ? 'order_canceled' : 'order_refunded',
    says: refundNotice(order, lines, ended, reason),
  });
  return lines;
}

/**
 * Records that `totalWon` of an order have been refunded, some of it elsewhere: in the provider's own console. Its Macs
 * stay; a refund of the order ends them and gives back what is left.
 */
export async function recordRefundElsewhere(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'clock' | 'wake' | 'notify' | 'site'>,
  order: Order,
  totalWon: number,
): Promise<void> {
  const amountWon = totalWon - order.refundedWon;
  if (amountWon <= 0) return;
  const refund = { amountWon, items: order.items, now: deps.clock.now(), endReason: null };
  if (!(await recordRefund(tx, order, refund))) {
    throw new Error(`the order ${order.orderNo} changed while a refund of it was recorded`);
  }
  const line: RefundedLine = { order, action: 'refund', amountWon, items: [], creditMicroUsd: null };
  await deps.notify(tx, {
    accountId: order.accountId,
    kind: 'order_refunded',
    says: refundNotice(order, [line], [], 'refunded_by_operator'),
  });
  await recordRefunded(tx, deps, order.orderNo);
  wakeForOrder(tx, deps.wake, order);
}

/** Returns what came back as credit, millionths of a dollar; null: none. */
async function refundLine(
  tx: Transaction,
  deps: OrderChangeDeps,
  line: RefundLine,
  reason: RefundReason,
): Promise<number | null> {
  const { order, amountWon, items } = line;
  const now = deps.clock.now();
  const left = order.amountWon - order.refundedWon - amountWon;
  const refund = { amountWon, items: itemsAfter(line), now, endReason: left > 0 ? null : reason };
  if (order.status !== 'ready') await changeOrder(tx, order, 'cancel', { endedAt: now, endReason: reason });
  if (!(await recordRefund(tx, order, refund))) {
    throw new Error(`the order ${order.orderNo} changed while it was refunded`);
  }
  if (amountWon > 0) await recordRefunded(tx, deps, order.orderNo);
  for (const item of items) {
    const rental = await findLiveRental(tx, item.rentalId);
    if (!rental) continue;
    const endsAt = endWithout(rental, order.hours, now);
    await lengthenRental(tx, deps, rental, { hours: -order.hours, amountWon: -item.amountWon, endsAt });
  }
  const { orderNo, accountId } = order;
  wakeForOrder(tx, deps.wake, order);
  return amountWon > 0 ? deps.requestRefund(tx, { orderNo, accountId, amountWon, reason }) : null;
}

async function recordRefunded(tx: Transaction, deps: RentingEventDeps, orderNo: string): Promise<void> {
  const refunded = await findAnyOrder(tx, orderNo);
  if (refunded) await recordOrderEvent(tx, deps, 'order.refunded', refunded);
}

/**
 * Cancels an order that awaits payment, or a paid one whose Macs are not all ready: they end, and the payment is
 * refunded.
 *
 * @returns false if it can no longer be canceled
 */
export async function cancelOrder(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  reason: 'canceled_by_person' | 'payment_failed' | RefundReason,
): Promise<boolean> {
  if (order.status === 'awaiting_payment') return cancelUnpaid(tx, deps, order, reason);
  if (order.status === 'ready' || reason === 'canceled_by_person' || reason === 'payment_failed') return false;
  return (await giveBack(tx, deps, order, reason)).length > 0;
}

/**
 * Expires unpaid orders whose pay link has expired and frees their holds.
 *
 * @returns when the next pay link expires
 */
export async function expireOverdueOrders(deps: OrderChangeDeps & { store: Store }): Promise<number | null> {
  for (;;) {
    const { due, nextAt } = await readOverdueOrders(deps.store, deps.clock.now());
    if (due.length === 0) return nextAt;
    await deps.store.transaction(async (tx) => {
      for (const order of due) await cancelUnpaid(tx, deps, order, 'expired');
    });
  }
}
