// A rental: the contract about one Mac of one account, with its times and the amount paid. Times in ms since the epoch.
import type { Mac, Machine } from '../../macs/domain/mac.js';
import type { Tier } from '../../macs/domain/tier.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { int, type RecordOf, text } from '../../platform/domain/fields.js';

export const rentalFields = {
  rentalId: text(),
  /** The order that created it; null: granted by an operator. */
  orderNo: text().orNull,
  /** Bought time; null: granted by an operator. */
  hours: int().orNull,
  /** Amount paid for it, VAT included. */
  amountWon: int(),
  /** Granted by an operator on any host of the tier or on one host; null: not granted. */
  granted: text<'tier' | 'host'>().orNull,
  /** Start of the bought time; provisional until the Mac was first ready. */
  startsAt: int(),
  /** End of the bought time; provisional until the Mac was first ready. */
  endsAt: int(),
  endedAt: int().orNull.initially(null),
  /** Marked to end now. */
  endRequestedAt: int().orNull.initially(null),
};
export type Rental = RecordOf<typeof rentalFields>;

export type RentalWithMachine = Rental & Machine;

/** The Mac of an active rental, with the terms of its tier: price of 24 hours, longest bought time. */
export type RentalWithMac = Rental & Mac & Pick<Tier, 'priceWon' | 'maxDays'>;

/** Stands for no end: the latest time that a Date can hold. */
export const FOREVER = 8_640_000_000_000_000;

/** `remaining_s` of a rental without end: the largest signed 32-bit integer. */
export const REMAINING_FOREVER_S = 2 ** 31 - 1;

type Times = Pick<RentalWithMachine, 'hours' | 'readyAt' | 'endsAt' | 'awaySince'>;

/** Returns the end of a rental whose bought time starts at `startsAt`; a granted one keeps its end. */
export function endFrom({ hours, endsAt }: Pick<Rental, 'hours' | 'endsAt'>, startsAt: number): number {
  return hours === null ? endsAt : startsAt + hours * HOUR_MS;
}

/** Returns the remaining time, ms. Bought time runs from the first `ready`, except while the Mac is unavailable. */
export function timeLeft(rental: Times, now: number): number {
  return endIfReady(rental, now) - now;
}

/** Returns when the rental would end if its Mac were ready now. */
export function endIfReady(rental: Times, now: number): number {
  const { hours, readyAt, endsAt, awaySince } = rental;
  if (hours === null) return endsAt;
  if (readyAt === null) return now + hours * HOUR_MS;
  return awaySince === null ? endsAt : endsAt + (now - awaySince);
}

/** Returns the remaining whole seconds. */
export function remainingSeconds(rental: Times, now: number): number {
  if (rental.endsAt === FOREVER) return REMAINING_FOREVER_S;
  return Math.min(REMAINING_FOREVER_S, Math.max(0, Math.floor(timeLeft(rental, now) / 1000)));
}
