// What an operator has to settle with the provider, because the service can do nothing more.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

/**
 * over_returned: more was returned of a payment than was charged. refused: the provider keeps refusing a refund.
 */
export type SettlementKind = 'over_returned' | 'refused';

export const settlementFields = {
  /** The number of the order or top-up of the payment, or the id of the refund. */
  id: text(),
  kind: text<SettlementKind>(),
  orderNo: text(),
  accountId: int(),
  /** What was returned too much, or the refund; null: the whole charge. */
  amountWon: int().orNull,
  createdAt: int(),
  settledAt: int().orNull.initially(null),
  /** The operator; null: the service saw that the money went back. */
  settledBy: text().orNull.initially(null),
  note: text().orNull.initially(null),
};
export type ManualSettlement = RecordOf<typeof settlementFields>;
