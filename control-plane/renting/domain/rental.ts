// A rental: what was agreed about one Mac of one account, i.e. for which time, what was paid for it, and its end.
// Times in ms since the epoch.
import type { Mac, Machine } from '../../macs/domain/mac.js';
import type { Tier } from '../../macs/domain/tier.js';
import { HOUR_MS } from '../../platform/domain/durations.js';

export interface Rental {
  readonly rentalId: string;
  /** The order that created it; null: an operator has given it. */
  readonly orderNo: string | null;
  /** Bought time; null: granted by an operator, with no bought time. */
  readonly hours: number | null;
  /** What was paid for it, VAT included. */
  readonly amountWon: number;
  /** By an operator, on any host of the tier or on this host only; null: it was not granted. */
  readonly granted: 'tier' | 'host' | null;
  /** Begin of the bought time; provisional until the Mac was ready for the first time. */
  readonly startsAt: number;
  /** End of the bought time; provisional until the Mac was ready for the first time. */
  readonly endsAt: number;
  readonly endedAt: number | null;
  /** It is to end at once. */
  readonly endRequestedAt: number | null;
}

export type RentalWithMachine = Rental & Machine;

/** The Mac of a rental that has not ended, with the terms of its tier: price of 24 hours, longest bought time. */
export type RentalWithMac = Rental & Mac & Pick<Tier, 'priceWon' | 'maxDays'>;

/** The end of a rental that has none: the latest time that a Date can hold. */
export const FOREVER = 8_640_000_000_000_000;

/** `remaining_s` of a rental without end: the largest number that every client can hold. */
export const REMAINING_FOREVER_S = 2 ** 31 - 1;

type Times = Pick<RentalWithMachine, 'hours' | 'readyAt' | 'endsAt' | 'awaySince'>;

/** The end of a rental whose bought time begins at `startsAt`; a granted one keeps its end. */
export function endFrom({ hours, endsAt }: Pick<Rental, 'hours' | 'endsAt'>, startsAt: number): number {
  return hours === null ? endsAt : startsAt + hours * HOUR_MS;
}

/** The time that is left, ms; bought time runs only from the first `ready`, and not while the Mac is kept away. */
export function timeLeft(rental: Times, now: number): number {
  return endIfReady(rental, now) - now;
}

/** When the rental would end if its Mac were ready now. */
export function endIfReady(rental: Times, now: number): number {
  const { hours, readyAt, endsAt, awaySince } = rental;
  if (hours === null) return endsAt;
  if (readyAt === null) return now + hours * HOUR_MS;
  return awaySince === null ? endsAt : endsAt + (now - awaySince);
}

/** Whole seconds that are left. */
export function remainingSeconds(rental: Times, now: number): number {
  if (rental.endsAt === FOREVER) return REMAINING_FOREVER_S;
  return Math.min(REMAINING_FOREVER_S, Math.max(0, Math.floor(timeLeft(rental, now) / 1000)));
}
