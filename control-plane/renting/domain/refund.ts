// Decides what a refund covers: an order, and the extensions of its Macs.
import type { ExtensionItem, Order } from './order.js';

/** no_capacity: no Mac could be provided. */
export type RefundReason = 'no_capacity' | 'refunded_by_operator';

/** One order that a refund touches. */
export interface RefundLine {
  readonly order: Order;
  /** refund: the payment is refunded. cancel: the order is unpaid and can no longer be paid. */
  readonly action: 'refund' | 'cancel';
  /** Amount refunded now; 0 for a canceled order. */
  readonly amountWon: number;
  /** Refunded items; empty for a rental order. */
  readonly items: readonly ExtensionItem[];
}

/** A line that has been carried out. */
export interface RefundedLine extends RefundLine {
  /** What came back as credit, millionths of a dollar; null: the payment method gets the money. */
  readonly creditMicroUsd: number | null;
}

const sum = (items: readonly ExtensionItem[]) => items.reduce((total, item) => total + item.amountWon, 0);

/** Returns the line for a full refund of an order; null if it was not paid or nothing is left to refund. */
export function refundOf(order: Order): RefundLine | null {
  if (order.status !== 'paid' && order.status !== 'provisioning' && order.status !== 'ready') return null;
  // The money of an order may have been refunded at the provider while its Macs stayed.
  if (order.endReason !== null && order.refundedWon >= order.amountWon) return null;
  const items = order.items.filter((item) => !item.refunded);
  return { order, action: 'refund', amountWon: order.amountWon - order.refundedWon, items };
}

/**
 * Returns the lines for extensions of Macs that end by a refund. A paid extension is refunded for these Macs; an unpaid
 * one is canceled as a whole, because its amount is no longer valid. Largest amounts first.
 */
export function refundsOfExtensions(extensions: readonly Order[], rentalIds: ReadonlySet<string>): RefundLine[] {
  const lines = extensions.flatMap((order): RefundLine[] => {
    const items = order.items.filter((item) => rentalIds.has(item.rentalId) && !item.refunded);
    if (items.length === 0) return [];
    if (order.status === 'awaiting_payment') return [{ order, action: 'cancel', amountWon: 0, items: [] }];
    const amountWon = Math.min(sum(items), order.amountWon - order.refundedWon);
    return order.status === 'ready' ? [{ order, action: 'refund', amountWon, items }] : [];
  });
  return lines.sort((a, b) => b.amountWon - a.amountWon);
}

/** Returns the order's items with those of the line marked as refunded. */
export function itemsAfter({ order, items }: RefundLine): ExtensionItem[] {
  const gone = new Set(items.map((item) => item.rentalId));
  return order.items.map((item) => (gone.has(item.rentalId) ? { ...item, refunded: true } : item));
}
