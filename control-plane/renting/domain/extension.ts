// More time for a Mac that is rented: what stands in the way, and by how much it can be extended.
import { countOf } from '../../../shared/count.js';
import { isActive } from '../../macs/domain/mac.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { type ErrorCode, errorCatalog } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { daysUntil } from './capacity.js';
import { PASS_HOURS } from './pricing.js';
import { type Rental, type RentalWithMac, type RentalWithMachine, timeLeft } from './rental.js';

/** What a rental itself does not say. */
export interface ExtensionFacts {
  /** When somebody else's time in the slot or on the host begins, ms; null: never. */
  readonly conflictAt: number | null;
  /** The extension order of this Mac that awaits payment. */
  readonly pendingOrderNo: string | null;
}

export interface Extension {
  readonly canExtend: boolean;
  /** Whole days; 0 when it cannot be extended. */
  readonly maxExtendDays: number;
}

/** A Mac as its customer sees it: with what can be added to its time now. */
export interface RentedMac {
  readonly mac: RentalWithMac;
  readonly extension: Extension;
}

export type ExtensionRefusal = Extract<
  ErrorCode,
  | 'rental_not_active'
  | 'extension_deadline'
  | 'extension_pending'
  | 'rental_duration_limit'
  | 'reservation_conflict'
>;

type Terms = Pick<RentalWithMac, 'maxDays'>;

/** Hours that may be bought for one Mac in all. */
const mostHours = ({ maxDays }: Terms, limits: Limits) =>
  Math.min(maxDays, limits.max_rental_days) * PASS_HOURS;

/**
 * Why a Mac cannot be extended by `hours` (a whole number of passes), or null when it can.
 *
 * The first of these that holds: it is not active (reserved or ended); its end is nearer than the deadline; another
 * extension of it awaits payment; its bought time would exceed 30 days or the tier's limit; somebody else's time
 * begins before the new end. A Mac that was never ready has all its time, so no deadline. A granted Mac has no bought
 * time to add to.
 */
export function extensionRefusal(
  rental: Pick<RentalWithMachine, 'state' | 'readyAt' | 'endsAt' | 'hours' | 'awaySince' | 'endRequestedAt'> &
    Terms,
  { conflictAt, pendingOrderNo }: ExtensionFacts,
  hours: number,
  now: number,
  limits: Limits,
): ExtensionRefusal | null {
  if (!isActive(rental) || rental.endRequestedAt !== null) return 'rental_not_active';
  if (rental.hours === null) return 'rental_duration_limit';
  if (rental.readyAt !== null && timeLeft(rental, now) < limits.extension_deadline_ms) {
    return 'extension_deadline';
  }
  if (pendingOrderNo !== null) return 'extension_pending';
  if (rental.hours + hours > mostHours(rental, limits)) return 'rental_duration_limit';
  const endsAt = rental.endsAt + hours * HOUR_MS;
  return conflictAt !== null && conflictAt < endsAt ? 'reservation_conflict' : null;
}

/** By how many days a Mac can be extended now. */
export function extensionOf(
  mac: RentalWithMac,
  facts: ExtensionFacts,
  now: number,
  limits: Limits,
): Extension {
  if (extensionRefusal(mac, facts, PASS_HOURS, now, limits) !== null) {
    return { canExtend: false, maxExtendDays: 0 };
  }
  const byLimit = Math.floor((mostHours(mac, limits) - (mac.hours ?? 0)) / PASS_HOURS);
  const byCalendar = daysUntil(facts.conflictAt, mac.endsAt) ?? byLimit;
  return { canExtend: true, maxExtendDays: Math.min(byLimit, byCalendar) };
}

/** A sentence for people: the catalogue's, with what it depends on. */
export function refusalMessage(
  refusal: ExtensionRefusal,
  mac: (Terms & Pick<Rental, 'hours'>) | null,
  limits: Limits,
): string {
  if (refusal !== 'rental_duration_limit' || !mac) return errorCatalog[refusal].meaning;
  if (mac.hours === null) {
    return 'The operator granted this Mac without bought time, so no order can extend it; ask the operator.';
  }
  return `One Mac can be rented for ${countOf(mostHours(mac, limits) / PASS_HOURS, 'day')} in all.`;
}
