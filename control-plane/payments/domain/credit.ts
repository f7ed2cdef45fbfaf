// Credit of an organization, in millionths of a US dollar, and what a part of a top-up is worth.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

/**
 * top_up: paid. withdrawal: a top-up, or a part of it, paid back at the organization's request. refund: paid back by
 * the operator at the payment provider. chargeback: taken back by the payer's bank. adjustment: by the operator, who
 * gives credit or takes what was spent. order: paid an order of Macs. order_refund: returned by a refund of such an order.
 */
export const creditKinds = [
  'top_up',
  'withdrawal',
  'refund',
  'chargeback',
  'adjustment',
  'order',
  'order_refund',
] as const;
export type CreditKind = (typeof creditKinds)[number];

export const creditEntryFields = {
  accountId: int(),
  kind: text<CreditKind>(),
  /** Positive: added. Negative: taken. */
  microUsd: int(),
  /** Of the account, after this entry. Negative when a bank takes back what was spent. */
  balanceMicroUsd: int(),
  /** The top-up; null: none. */
  orderId: text().orNull,
  /** The order of Macs that was paid or refunded; null: none. */
  paidOrderNo: text().orNull.initially(null),
  /** Won that moved: positive when received; null: none. */
  krw: int().orNull,
  reason: text().orNull,
  /** Unique: each cause is entered once. */
  reference: text(),
  at: int(),
};
export type CreditEntry = RecordOf<typeof creditEntryFields> & { readonly entryId: number };

export const MICRO = 1_000_000;

/** A payment and the credit that it bought. */
export interface BoughtCredit {
  readonly amountWon: number;
  readonly creditMicroUsd: number;
}

/** Credit that goes when this many won of the payment have been paid back: rounded up, and all of it for the whole. */
const creditOf = ({ amountWon, creditMicroUsd }: BoughtCredit, won: number): bigint => {
  const [part, whole] = [BigInt(Math.min(won, amountWon)), BigInt(amountWon)];
  return (BigInt(creditMicroUsd) * part + whole - 1n) / whole;
};

/** Returns the credit that goes with `won` more, after `before` won. The parts of a payment add up to its credit. */
export const creditFor = (bought: BoughtCredit, before: number, won: number): number =>
  Number(creditOf(bought, before + won) - creditOf(bought, before));

/** Returns the most won that can be paid back for the available credit, after `before` won. */
export function wonFor(bought: BoughtCredit, before: number, availableMicroUsd: number): number {
  if (availableMicroUsd <= 0) return 0;
  const credit = BigInt(availableMicroUsd) + creditOf(bought, before);
  const won = Number((credit * BigInt(bought.amountWon)) / BigInt(bought.creditMicroUsd));
  return Math.min(won, bought.amountWon) - before;
}
