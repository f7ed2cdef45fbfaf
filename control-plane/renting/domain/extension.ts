// Extensions of a rented Mac: what prevents one, and how long it can be.
import { countOf } from '../../../shared/count.js';
import { isActive } from '../../macs/domain/mac.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { type ErrorCode, errorCatalog } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { daysUntil } from './capacity.js';
import { PASS_HOURS } from './pricing.js';
import { type Rental, type RentalWithMac, type RentalWithMachine, timeLeft } from './rental.js';

/** Facts about an extension that are not part of the rental. */
export interface ExtensionFacts {
  /** When the next conflicting occupation of the slot or host begins, ms; null: never. */
  readonly conflictAt: number | null;
  /** The unpaid extension order of this Mac. */
  readonly pendingOrderNo: string | null;
}

export interface Extension {
  readonly canExtend: boolean;
  /** Whole days; 0 if it cannot be extended. */
  readonly maxExtendDays: number;
}

/** A Mac as its customer sees it, with its possible extension. */
export interface RentedMac {
  readonly mac: RentalWithMac;
  readonly extension: Extension;
}

export type ExtensionRefusal = Extract<
  ErrorCode,
  'rental_not_active' | 'extension_deadline' | 'extension_pending' | 'rental_duration_limit' | 'reservation_conflict'
>;

type Terms = Pick<RentalWithMac, 'maxDays'>;
/** What decides whether a rental can be extended. */
type Extendable = Pick<RentalWithMachine, 'state' | 'readyAt' | 'endsAt' | 'hours' | 'awaySince' | 'endRequestedAt'> &
  Terms;

/** Returns the most hours that may be bought for one Mac in total. */
const mostHours = ({ maxDays }: Terms, limits: Limits) => Math.min(maxDays, limits.max_rental_days) * PASS_HOURS;

/**
 * Returns why a Mac cannot be extended by `hours` (a whole number of passes), or null if it can.
 *
 * The first that applies: it is not active (reserved or ended); its end is nearer than the deadline; another extension
 * is unpaid; its bought time would exceed the limit of the service or of the tier; another occupation begins before the
 * new end. A Mac that was never ready has all its time, so no deadline. A granted Mac has no bought time to extend.
 */
export function extensionRefusal(
  rental: Extendable,
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

/** Returns by how many days a Mac can be extended now. */
export function extensionOf(mac: Extendable, facts: ExtensionFacts, now: number, limits: Limits): Extension {
  if (extensionRefusal(mac, facts, PASS_HOURS, now, limits) !== null) {
    return { canExtend: false, maxExtendDays: 0 };
  }
  const byLimit = Math.floor((mostHours(mac, limits) - (mac.hours ?? 0)) / PASS_HOURS);
  const byCalendar = daysUntil(facts.conflictAt, mac.endsAt) ?? byLimit;
  return { canExtend: true, maxExtendDays: Math.min(byLimit, byCalendar) };
}

/** Returns the error catalog's sentence with its parameters filled in. */
export function refusalMessage(
  refusal: ExtensionRefusal,
  mac: (Terms & Pick<Rental, 'hours'>) | null,
  limits: Limits,
): string {
  if (refusal !== 'rental_duration_limit' || !mac) return errorCatalog[refusal].message;
  if (mac.hours === null) {
    return 'The operator granted this Mac without bought time, so no order can extend it; ask the operator.';
  }
  const most = countOf(mostHours(mac, limits) / PASS_HOURS, 'day');
  return `One Mac can be rented for ${most} in all, extensions included; after that, order a new Mac.`;
}
