// Prices of time on Macs. Money is integer won, VAT included; time is sold in passes of 24 hours.

import type { Tier } from '../../macs/domain/tier.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';

export const PASS_HOURS = 24;

/** One line of a price; the lines add up to the price. */
export interface PriceLine {
  readonly period: '24h';
  readonly count: number;
  /** Amount of the whole line. */
  readonly amount_won: number;
}

export interface Price {
  readonly amountWon: number;
  readonly breakdown: readonly PriceLine[];
}

/** Returns whether `hours` is a whole number of passes, at least one. */
export function isPeriod(hours: number): boolean {
  return Number.isSafeInteger(hours) && hours >= PASS_HOURS && hours % PASS_HOURS === 0;
}

/** Returns the next longer period that can be bought. */
export function nearestPeriod(hours: number, most: number): number {
  const asked = Number.isFinite(hours) ? Math.ceil(hours / PASS_HOURS) * PASS_HOURS : most;
  return Math.min(Math.max(asked, PASS_HOURS), most);
}

/** Returns the most hours of one order of the tier. */
export const mostOrderHours = ({ maxDays }: Pick<Tier, 'maxDays'>, limits: Limits): number =>
  Math.min(limits.max_rental_days, maxDays) * PASS_HOURS;

/**
 * Throws invalid_period unless `hours` can be bought in one order of the tier: passes of 24 hours, up to the
 * service's longest rental and the tier's own.
 */
export function checkOrderHours(hours: number, tier: Pick<Tier, 'maxDays'>, limits: Limits): void {
  const most = mostOrderHours(tier, limits);
  if (isPeriod(hours) && hours <= most) return;
  throw new ApiError('invalid_period', {
    message: `hours must be a multiple of ${PASS_HOURS} from ${PASS_HOURS} to ${most}.`,
    detail: { field: 'hours', nearest: nearestPeriod(hours, most) },
  });
}

/**
 * @param unitPriceWon one Mac for 24 hours
 * @example priceOf(10_000, 48, 3) // { amountWon: 60_000, breakdown: [{ period: '24h', count: 6, amount_won: 60_000 }] }
 */
export function priceOf(unitPriceWon: number, hours: number, units = 1): Price {
  const count = (hours / PASS_HOURS) * units;
  const amountWon = unitPriceWon * count;
  return { amountWon, breakdown: [{ period: '24h', count, amount_won: amountWon }] };
}

/** Returns the VAT (10 %) included in a total, rounded as on receipts: `(2 * total + 11) div 22`. */
export function splitVat(totalWon: number): { supplyWon: number; vatWon: number } {
  const vatWon = Number((2n * BigInt(totalWon) + 11n) / 22n);
  return { supplyWon: totalWon - vatWon, vatWon };
}
