// The extensions that are possible for rented Macs, with their prices.
import type { Clock } from '../../../shared/clock.js';
import { findMacOf } from '../../macs/app/macs.js';
import { findTier } from '../../macs/app/tiers.js';
import type { Mac } from '../../macs/domain/mac.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { NextRequest } from '../../platform/domain/errors/row.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries } from '../../platform/store/sql.js';
import type { Calendar } from '../domain/calendar.js';
import { conflictAfter } from '../domain/capacity.js';
import {
  type ExtensionFacts,
  type ExtensionRefusal,
  extensionOf,
  extensionRefusal,
  type RentedMac,
  refusalMessage,
} from '../domain/extension.js';
import { type Price, priceOf } from '../domain/pricing.js';
import type { RentalWithMachine } from '../domain/rental.js';
import { pendingExtensions } from '../store/holds.js';
import { findRental } from '../store/rentals.js';
import type { Availability } from './availability.js';
import { newMacRequests } from './instead-of-extension.js';
import { type Buyer, orderBarrier } from './order-placement.js';
import { type Agreed, readAgreed, rentedMacsOf } from './rentals.js';

/** The extension of one Mac, or why it is refused. */
export interface ExtensionItem extends Price {
  readonly rentalId: string;
  readonly name: string;
  readonly tier: string;
  readonly endsAt: number;
  readonly newEndsAt: number;
  /** The most whole days by which it can be extended; 0: not at all. */
  readonly maxDays: number;
  /** Requests for another Mac of the tier; empty if the operator granted this one, or offers the tier no longer. */
  readonly newMac: readonly NextRequest[];
  readonly refusal: {
    readonly code: ExtensionRefusal;
    readonly message: string;
    readonly orderNo: string | null;
  } | null;
}

/** Returns what may prevent an extension of a rental. */
export type FactsOf = (rental: RentalWithMachine) => ExtensionFacts;

/** The rental terms of an account's Macs, and what may prevent their extension. */
export interface ExtensionBasis {
  readonly agreed: Agreed;
  readonly factsOf: FactsOf;
}

/** Must be used at once, with Macs read at the same moment. */
export async function readExtensionBasis(
  q: Queries,
  availability: Pick<Availability, 'current'>,
  accountId: number,
): Promise<ExtensionBasis> {
  const [agreed, pending, calendar] = await Promise.all([
    readAgreed(q, accountId),
    pendingExtensions(q, accountId),
    availability.current(q),
  ]);
  return { agreed, factsOf: factsFrom(calendar, pending) };
}

const factsFrom =
  (calendar: Calendar, pending: ReadonlyMap<string, string>): FactsOf =>
  (rental) => ({
    conflictAt: conflictAfter(calendar, rental),
    pendingOrderNo: pending.get(rental.rentalId) ?? null,
  });

/** Returns the Macs with their possible extensions. */
export function withExtensions(
  macs: readonly Mac[],
  { agreed, factsOf }: ExtensionBasis,
  now: number,
  limits: Limits,
): RentedMac[] {
  return macs.map((one) => {
    const mac = agreed.of(one);
    return { mac, extension: extensionOf(mac, factsOf(mac), now, limits) };
  });
}

/** Returns the extension of each Mac, or rental_not_found if one is not the account's. */
export async function extensionItems(
  deps: { readonly clock: Clock; readonly limits: Limits },
  q: Queries,
  calendar: Calendar,
  account: Buyer,
  rentalIds: readonly string[],
  hours: number,
): Promise<ExtensionItem[] | ApiError> {
  const { clock, limits } = deps;
  const now = clock.now();
  const accountId = account.id;
  const macs = new Map((await rentedMacsOf(q, accountId)).map((mac) => [mac.rentalId, mac]));
  const factsOf = factsFrom(calendar, await pendingExtensions(q, accountId));
  const canOrder = (await orderBarrier(q, account, now, limits)) === null;
  const items: ExtensionItem[] = [];
  for (const rentalId of rentalIds) {
    const mac = macs.get(rentalId);
    const rental = mac ?? (await findOwnRental(q, accountId, rentalId));
    if (!rental) return new ApiError('rental_not_found', { detail: { rental_id: rentalId } });
    const tier = await findTier(q, rental.tier);
    const terms = { priceWon: tier?.priceWon ?? 0, maxDays: tier?.maxDays ?? 0 };
    const facts = factsOf(rental);
    const extended = { ...rental, maxDays: terms.maxDays };
    const code = extensionRefusal(extended, facts, hours, now, limits);
    const demand = { accountId, hours, now };
    const asksNew = tier !== null && rental.hours !== null && code !== null;
    items.push({
      rentalId,
      name: rental.name,
      tier: rental.tier,
      endsAt: rental.endsAt,
      newEndsAt: rental.endsAt + hours * HOUR_MS,
      ...priceOf(terms.priceWon, hours),
      maxDays: extensionOf(extended, facts, now, limits).maxExtendDays,
      newMac: asksNew ? newMacRequests(calendar, tier, demand, canOrder, limits) : [],
      refusal: code && {
        code,
        message: refusalMessage(code, { ...terms, hours: rental.hours }, limits),
        orderNo: facts.pendingOrderNo,
      },
    });
  }
  return items;
}

/** Returns the rental, even if it has ended; null for another account's rental. */
async function findOwnRental(q: Queries, accountId: number, rentalId: string): Promise<RentalWithMachine | null> {
  const machine = await findMacOf(q, accountId, rentalId);
  const rental = machine && (await findRental(q, rentalId));
  return rental && { ...rental, ...machine };
}
