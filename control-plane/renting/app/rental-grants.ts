// Rentals without an order, which an operator grants and ends, for teams that own their Macs.

import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { hostRefusal } from '../../../shared/messages/host-refusals.js';
import { findHost } from '../../hosts/app/hosts.js';
import { refusedChange } from '../../hosts/domain/host-refusal.js';
import { findNamedMac, type WhichMac } from '../../macs/app/named-macs.js';
import { findTier } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Calendar } from '../domain/calendar.js';
import { FOREVER, type RentalWithMac, type RentalWithMachine } from '../domain/rental.js';
import type { Availability } from './availability.js';
import { existingTier } from './quotes.js';
import { addRental, cutRental, findLiveRental, rentedMacsOf } from './rentals.js';

export interface GrantRequest {
  readonly accountId: number;
  /** On any host of the tier, or pinned to one host. */
  readonly on: { readonly tier: string } | { readonly hostId: string };
  readonly units: number;
  /** ms since the epoch; null: until the operator ends it. */
  readonly endsAt: number | null;
}

export type RentalGrants = ReturnType<typeof createRentalGrants>;

export interface RentalGrantsDeps extends Pick<Core, 'store' | 'clock'> {
  readonly wake: Wake;
  readonly availability: Availability;
  readonly limits: Pick<Limits, 'order_units'>;
}

export function createRentalGrants(deps: RentalGrantsDeps) {
  const { store, clock, wake, availability, limits } = deps;

  const wakeForRental = (tx: Transaction, accountId: number) =>
    tx.onCommit(() => {
      for (const topic of ['builds', 'scheduler', 'orders'] as const) wake.wake(topic, String(accountId));
      wake.wake('availability');
    });

  const grant = async (tx: Transaction, request: GrantRequest): Promise<string[] | ApiError> => {
    const now = clock.now();
    const { accountId, units } = request;
    const window = { startsAt: now, endsAt: request.endsAt ?? FOREVER };
    const place = await placeOf(tx, request.on);
    const calendar = await availability.within(tx);
    const slotIds = slotsFor(calendar, place, { accountId, window, now, units });
    if (slotIds === null) {
      const where = place.hostId === null ? `of the tier ${place.tier.tier}` : `on the host ${place.hostId}`;
      const what = units === 1 ? `No slot ${where} is` : `Fewer than ${units} slots ${where} are`;
      const message = `${what} free for that time.`;
      return new ApiError('no_capacity', { message });
    }
    // Lists show Macs of the same time by their ids.
    const rentalIds = slotIds.map(() => newId('rt')).sort();
    for (const [index, rentalId] of rentalIds.entries()) {
      const slotId = slotIds[index] ?? '';
      const inserted = await addRental(tx, deps, {
        rentalId,
        accountId,
        slotId,
        tier: place.tier.tier,
        xcode: place.tier.defaultXcode,
        now,
        orderNo: null,
        hours: null,
        state: 'preparing',
        ...window,
        granted: place.hostId === null ? 'tier' : 'host',
      });
      // A Mac that is being removed may still be in it. Throwing rolls back the others.
      if (!inserted) throw new ApiError('no_capacity', { message: `The slot ${slotId} is not empty yet.` });
    }
    wakeForRental(tx, accountId);
    return rentalIds;
  };

  return {
    /**
     * Grants Macs to an account at once, without order, consent or limit of days. All or none. `done` gets the ids of the
     * rentals, in the transaction.
     *
     * @throws ApiError invalid_tier, host_not_found, host_state, invalid_request, no_capacity
     * @example await grants.grant({ accountId: 7, on: { tier: 'm4' }, units: 2, endsAt: null });
     */
    async grant(request: GrantRequest, done?: InTransaction<readonly string[]>): Promise<RentalWithMac[]> {
      checkRequest(request, clock.now(), limits);
      const granted = await store.transaction(async (tx) => {
        const made = await grant(tx, request);
        if (!(made instanceof ApiError)) await done?.(tx, made);
        return made;
      });
      if (granted instanceof ApiError) throw granted;
      const macs = await rentedMacsOf(store, request.accountId);
      return macs.filter(({ rentalId }) => granted.includes(rentalId));
    },

    /**
     * Ends a rental that has no order. `ended` runs in the transaction.
     *
     * @param which see findNamedMac
     * @throws ApiError rental_not_found (also if it has ended), invalid_request (it was ordered: refund its order; or several
     *   Macs have the name)
     */
    end: (which: WhichMac, ended?: InTransaction<RentalWithMachine>): Promise<RentalWithMachine> =>
      store.transaction(async (tx) => {
        const rental = await findLiveRental(tx, await findNamedMac(tx, which, 'rental_id'));
        if (!rental) throw new ApiError('rental_not_found');
        if (rental.orderNo !== null) {
          throw fieldError('invalid_request', 'rental', fieldProblem('rental_of_order', { order: rental.orderNo }));
        }
        await cutRental(tx, deps, rental);
        wakeForRental(tx, rental.accountId);
        await ended?.(tx, rental);
        return rental;
      }),

    /** Returns the account's rentals that have not ended, oldest first. */
    list: (accountId: number): Promise<RentalWithMac[]> => rentedMacsOf(store, accountId),
  };
}

function checkRequest({ units, endsAt }: GrantRequest, now: number, limits: Pick<Limits, 'order_units'>): void {
  if (!Number.isInteger(units) || units < 1 || units > limits.order_units) {
    throw fieldError('invalid_request', 'units', fieldProblem('not_between', { least: 1, most: limits.order_units }));
  }
  if (endsAt !== null && endsAt <= now) {
    throw fieldError('invalid_request', 'until', fieldProblem('in_the_past'));
  }
}

interface Place {
  readonly tier: Tier;
  /** Null: any host of the tier. */
  readonly hostId: string | null;
}

async function placeOf(q: Queries, on: GrantRequest['on']): Promise<Place> {
  if ('tier' in on) return { tier: await existingTier(q, on.tier), hostId: null };
  const host = await findHost(q, on.hostId);
  if (!host) throw new ApiError('host_not_found');
  const tier = host.tier === null ? null : await findTier(q, host.tier);
  if (!tier) throw refusedChange(hostRefusal('tier_needed'));
  if (host.status !== 'active') throw refusedChange(hostRefusal('not_active', { status: host.status }));
  if (host.blocked) throw refusedChange(hostRefusal('cannot_create_macs', { reason: host.blocked.message }));
  return { tier, hostId: host.hostId };
}

/**
 * Returns null if there are not enough free slots. A pinned host may be disconnected: its Macs are created when it
 * connects.
 */
function slotsFor(
  calendar: Calendar,
  { tier, hostId }: Place,
  demand: { accountId: number; window: { startsAt: number; endsAt: number }; now: number; units: number },
): string[] | null {
  const { accountId, window, now, units } = demand;
  if (hostId === null) {
    const pick = (xcode: string | null) => calendar.pick({ tier: tier.tier, accountId, window, now, xcode }, units);
    // An operator may grant Macs whose default Xcode is still to be installed.
    return pick(tier.defaultXcode) ?? pick(null);
  }
  const slots = calendar.host(hostId)?.slotIds ?? [];
  const free = slots.filter((slotId) => calendar.conflicts(slotId, accountId, window).length === 0);
  return free.length < units ? null : free.slice(0, units);
}
