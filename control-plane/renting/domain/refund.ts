// What a refund takes back: an order's money, and that of the extensions that lengthened its Macs.
import type { ExtensionItem, Order } from './order.js';

/** no_capacity: no Mac could be given. */
export type RefundReason = 'no_capacity' | 'refunded_by_operator';

/** One order that a refund touches. */
export interface RefundLine {
  readonly order: Order;
  /** refund: money goes back. cancel: nobody has paid it, and nobody can any more. */
  readonly action: 'refund' | 'cancel';
  /** What goes back now; 0 for an order that is canceled. */
  readonly amountWon: number;
  /** Items whose money goes back; empty for a rental order. */
  readonly items: readonly ExtensionItem[];
}

const sum = (items: readonly ExtensionItem[]) => items.reduce((total, item) => total + item.amountWon, 0);

/** Lines for an order whose whole money goes back; null when it was not paid, or nothing of it is left. */
export function refundOf(order: Order): RefundLine | null {
  if (order.status !== 'paid' && order.status !== 'provisioning' && order.status !== 'ready') return null;
  if (order.refundedAt !== null && order.refundedWon >= order.amountWon) return null;
  const items = order.items.filter((item) => !item.refunded);
  return { order, action: 'refund', amountWon: order.amountWon - order.refundedWon, items };
}

/**
 * What becomes of extensions when the Macs that they lengthen end by a refund. A paid one gives back what was paid for
 * these Macs; an unpaid one is canceled as a whole, because its sum no longer holds. Largest sums first.
 */
export function refundsOfExtensions(
  extensions: readonly Order[],
  rentalIds: ReadonlySet<string>,
): RefundLine[] {
  const lines = extensions.flatMap((order): RefundLine[] => {
    const items = order.items.filter((item) => rentalIds.has(item.rentalId) && !item.refunded);
    if (items.length === 0) return [];
    if (order.status === 'awaiting_payment') return [{ order, action: 'cancel', amountWon: 0, items: [] }];
    return order.status === 'ready' ? [{ order, action: 'refund', amountWon: sum(items), items }] : [];
  });
  return lines.sort((a, b) => b.amountWon - a.amountWon);
}

/** The order's items once those of the line are refunded. */
export function itemsAfter({ order, items }: RefundLine): ExtensionItem[] {
  const gone = new Set(items.map((item) => item.rentalId));
  return order.items.map((item) => (gone.has(item.rentalId) ? { ...item, refunded: true } : item));
}
