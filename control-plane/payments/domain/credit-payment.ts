// An order that is paid with credit: what it costs at the rate of the day, and what goes back with a refund.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';
import { creditFor } from './credit.js';
import { type ExchangeRate, microUsdOf, type RateSource } from './exchange-rate.js';

export const creditPaymentFields = {
  orderNo: text(),
  accountId: int(),
  /** The person who paid. */
  userId: text(),
  amountWon: int(),
  creditMicroUsd: int(),
  fxDay: text(),
  fxSource: text<RateSource>(),
  krwPerUsd: text(),
  /** Won of the order that have been refunded; their part of the credit has been returned. */
  returnedWon: int().initially(0),
  paidAt: int(),
};
export type CreditPayment = RecordOf<typeof creditPaymentFields>;

/** What an order costs in credit. */
export type CreditPrice = Pick<CreditPayment, 'amountWon' | 'creditMicroUsd' | 'fxDay' | 'fxSource' | 'krwPerUsd'>;

/** Rounded up to a millionth of a dollar. */
export const creditPrice = (
  amountWon: number,
  { fxDay, source, krwPerUsd }: Pick<ExchangeRate, 'fxDay' | 'source' | 'krwPerUsd'>,
): CreditPrice => ({
  amountWon,
  creditMicroUsd: microUsdOf(amountWon, krwPerUsd),
  fxDay,
  fxSource: source,
  krwPerUsd,
});

/** Returns the credit that has been returned. */
export const returnedMicroUsd = (payment: CreditPayment): number => creditFor(payment, 0, payment.returnedWon);
