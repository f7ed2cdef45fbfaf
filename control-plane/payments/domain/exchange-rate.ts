// An exchange rate, and won from dollars. Rates are decimal texts: with binary fractions 85 USD at 1466.40 would cost a
// won too much.
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

/** fixed: set by the operator. eximbank: the base rate of the Export-Import Bank of Korea. */
export const rateSources = ['fixed', 'eximbank'] as const;
export type RateSource = (typeof rateSources)[number];

export const exchangeRateFields = {
  /** The day of the rate in Korea, as `2026-03-02`. */
  fxDay: text(),
  source: text<RateSource>(),
  /** A decimal number such as `1466.40`. */
  krwPerUsd: text(),
  fetchedAt: int(),
};
export type ExchangeRate = RecordOf<typeof exchangeRateFields>;

const KOREA_MS = 9 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Returns the date in Korea `daysAgo` days before the time. */
export const koreanDay = (at: number, daysAgo = 0): string =>
  new Date(at + KOREA_MS - daysAgo * DAY_MS).toISOString().slice(0, 10);

const PLAUSIBLE = { least: 100, most: 100_000 } as const;

/**
 * Returns a rate as published (`1,466.40`) as a decimal text, or null when it is not a plausible number of won.
 *
 * @example parseRate('1,466.40') // '1466.40'
 */
export function parseRate(published: string): string | null {
  if (!/^(\d{1,3}(,\d{3})+|\d{1,6})(\.\d{1,6})?$/.test(published)) return null;
  const rate = published.replaceAll(',', '');
  return Number(rate) >= PLAUSIBLE.least && Number(rate) <= PLAUSIBLE.most ? rate : null;
}

/** Returns the rate as a whole number of 10^-`digits` won. */
function scaled(rate: string, digits: number): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

const digitsOf = (rate: string) => rate.split('.')[1]?.length ?? 0;

/** Returns the won of whole dollars, rounded up. */
export function wonOf(usd: number, rate: string): number {
  const digits = digitsOf(rate);
  const unit = 10n ** BigInt(digits);
  return Number((BigInt(usd) * scaled(rate, digits) + unit - 1n) / unit);
}

const MICRO = 1_000_000n;

/** Returns what won cost in millionths of a dollar, rounded up. */
export function microUsdOf(won: number, rate: string): number {
  const digits = digitsOf(rate);
  const perDollar = scaled(rate, digits);
  return Number((BigInt(won) * MICRO * 10n ** BigInt(digits) + perDollar - 1n) / perDollar);
}

/** Whether the rate differs from the earlier one by at most this many percent. */
export function isWithin(percent: number, rate: string, earlier: string): boolean {
  const digits = Math.max(digitsOf(rate), digitsOf(earlier));
  const [now, before] = [scaled(rate, digits), scaled(earlier, digits)];
  const difference = now > before ? now - before : before - now;
  return difference * 100n <= before * BigInt(percent);
}
