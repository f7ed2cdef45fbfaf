// How orders end: canceled, expired, or with their money given back. For use inside a transaction.

import { HOUR_MS } from '../../platform/domain/durations.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Order } from '../domain/order.js';
import {
  itemsAfter,
  type RefundLine,
  type RefundReason,
  refundOf,
  refundsOfExtensions,
} from '../domain/refund.js';
import type { RentalWithMachine } from '../domain/rental.js';
import { changeOrder, readExtensionsOf, recordRefund } from '../store/orders.js';
import { releaseHolds } from './holds.js';
import { type OrderChangeDeps, wakeForOrder } from './order-changes.js';
import { refundNotice } from './order-notices.js';
import { cutRental, findLiveRental, lengthenRental, rentalsOfOrder } from './rentals.js';

/**
 * Cancels an order that awaits payment: what it holds is free again.
 *
 * @returns false when it does not await payment any more
 */
export async function cancelUnpaid(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'clock' | 'wake'>,
  order: Order,
  reason: NonNullable<Order['endReason']>,
): Promise<boolean> {
  if (order.status !== 'awaiting_payment') return false;
  const event = reason === 'expired' ? 'expire' : 'cancel';
  const ended = await changeOrder(tx, order, event, { endedAt: deps.clock.now(), endReason: reason });
  if (!ended) return false;
  await releaseHolds(tx, order.orderNo);
  wakeForOrder(tx, deps.wake, order);
  return true;
}

/** What `giveBack` would do; empty when nothing of the order's money is left to give back. */
export async function planRefund(q: Queries, order: Order): Promise<RefundLine[]> {
  const own = refundOf(order);
  if (!own) return [];
  if (order.kind === 'extension') return [own];
  const rentalIds = new Set((await rentalsOfOrder(q, order.orderNo)).map((one) => one.rentalId));
  return [own, ...refundsOfExtensions(await readExtensionsOf(q, order.accountId), rentalIds)];
}

/** Rentals of an order that have not ended. */
export async function liveRentalsOfOrder(q: Queries, orderNo: string): Promise<RentalWithMachine[]> {
  return (await rentalsOfOrder(q, orderNo)).filter(({ endedAt }) => endedAt === null);
}

/**
 * Sends back the whole money of a paid order, and with a rental order's also that of its extensions. The Macs of a
 * rental order end; of an extension the added time is taken off again, as far as it has not been used. The account's
 * people get a notice.
 *
 * @returns what was done, order by order; empty when there was nothing to give back
 */
export async function giveBack(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  reason: RefundReason,
): Promise<RefundLine[]> {
  const lines = await planRefund(tx, order);
  if (lines.length === 0) return [];
  const ended = order.kind === 'rental' ? await liveRentalsOfOrder(tx, order.orderNo) : [];
  for (const line of lines) {
    if (line.action === 'cancel') await cancelUnpaid(tx, deps, line.order, reason);
    else await refundLine(tx, deps, line, reason);
  }
  // What runs on them is settled as at the end of any rental.
  for (const rental of ended) await cutRental(tx, deps, rental);
  await deps.notify(tx, refundNotice(order, lines, ended, reason));
  return lines;
}

async function refundLine(
  tx: Transaction,
  deps: OrderChangeDeps,
  line: RefundLine,
  reason: RefundReason,
): Promise<void> {
  const { order, amountWon, items } = line;
  const now = deps.clock.now();
  const left = order.amountWon - order.refundedWon - amountWon;
  const refund = { amountWon, items: itemsAfter(line), now, endReason: left > 0 ? null : reason };
  if (order.status !== 'ready') await changeOrder(tx, order, 'cancel', { endedAt: now, endReason: reason });
  if (!(await recordRefund(tx, order, refund))) {
    throw new Error(`the order ${order.orderNo} changed while it was refunded`);
  }
  for (const item of items) {
    const rental = await findLiveRental(tx, item.rentalId);
    if (!rental) continue;
    const endsAt = Math.max(now, rental.endsAt - order.hours * HOUR_MS);
    await lengthenRental(tx, deps, rental, { hours: -order.hours, amountWon: -item.amountWon, endsAt });
  }
  const { orderNo, accountId } = order;
  if (amountWon > 0) await deps.requestRefund(tx, { orderNo, accountId, amountWon, reason });
  wakeForOrder(tx, deps.wake, order);
}

/**
 * Cancels an order that awaits payment, or one that is paid and whose Macs are not all there: they end, and the money
 * goes back.
 *
 * @returns false when it cannot be canceled any more
 */
export async function cancelOrder(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  reason: 'canceled_by_person' | RefundReason,
): Promise<boolean> {
  if (order.status === 'awaiting_payment') return cancelUnpaid(tx, deps, order, reason);
  if (order.status === 'ready' || reason === 'canceled_by_person') return false;
  return (await giveBack(tx, deps, order, reason)).length > 0;
}

/** The pay link is over: what the order kept free is free again. False when it was paid or canceled meanwhile. */
export function expireOrder(tx: Transaction, deps: OrderChangeDeps, order: Order): Promise<boolean> {
  return cancelUnpaid(tx, deps, order, 'expired');
}
