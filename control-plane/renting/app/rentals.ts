// Rentals with their Macs: reading, creating, changing their times.
import type { Clock } from '../../../shared/clock.js';
import { slotChanged, wakeHostOf } from '../../hosts/app/slots.js';
import { findMac, findMacs, macsOf } from '../../macs/app/macs.js';
import { addMac, keepUntil, moveReservedMac, type NewMac } from '../../macs/app/making.js';
import { listTiers } from '../../macs/app/tiers.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { Tier } from '../../macs/domain/tier.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Queries, Store, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Rental, RentalWithMac, RentalWithMachine } from '../domain/rental.js';
import * as rows from '../store/rentals.js';

/** Returns the rental of any account, or null when it has ended. */
export async function findLiveRental(q: Queries, rentalId: string): Promise<RentalWithMachine | null> {
  const machine = await findMac(q, rentalId);
  const rental = machine && (await rows.findRental(q, rentalId));
  return rental && { ...rental, ...machine };
}

/** Returns the rentals that an order created, including ended ones. */
export async function rentalsOfOrder(q: Queries, orderNo: string): Promise<RentalWithMachine[]> {
  const rentals = new Map((await rows.readRentalsOfOrder(q, orderNo)).map((one) => [one.rentalId, one]));
  const machines = await findMacs(q, [...rentals.keys()]);
  return machines.flatMap((machine) => {
    const rental = rentals.get(machine.rentalId);
    return rental ? [{ ...rental, ...machine }] : [];
  });
}

/** The rental terms of an account's Macs, to be used with Macs read at the same moment. */
export interface Agreed {
  of(mac: Mac): RentalWithMac;
}

export async function readAgreed(q: Queries, accountId: number): Promise<Agreed> {
  const [rentals, tiers] = await Promise.all([rows.readLiveRentals(q, accountId), listTiers(q)]);
  const tierOf = new Map<string, Tier>(tiers.map((tier) => [tier.tier, tier]));
  return {
    of(mac) {
      const rental = rentals.get(mac.rentalId);
      const tier = tierOf.get(mac.tier);
      if (!rental || !tier) throw new Error(`there is no rental of the Mac ${mac.rentalId}`);
      const { orderNo, hours, amountWon, granted, startsAt, endsAt, endRequestedAt, endedAt } = rental;
      // In this order: a large object that is copied first, or after another copy, takes 20 to 60 µs instead of one.
      return {
        orderNo,
        hours,
        amountWon,
        granted,
        startsAt,
        endsAt,
        endRequestedAt,
        endedAt,
        priceWon: tier.priceWon,
        maxDays: tier.maxDays,
        ...mac,
      };
    },
  };
}

/**
 * Returns the account's Macs with their rentals, oldest first. Use it in a transaction, or where no other can
 * intervene.
 */
export async function rentedMacsOf(q: Queries, accountId: number): Promise<RentalWithMac[]> {
  const [macs, agreed] = await Promise.all([macsOf(q, accountId), readAgreed(q, accountId)]);
  return macs.map(agreed.of);
}

/** Name: null or none: a numbered one. */
export type NewRental = Omit<NewMac, 'usableUntil' | 'name'> &
  Partial<Pick<NewMac, 'name'>> &
  Omit<rows.NewRental, 'granted' | 'amountWon'> &
  Partial<Pick<Rental, 'granted' | 'amountWon'>>;

/**
 * Creates a rental; its Mac is reserved, or created at once.
 *
 * @returns false if the slot is taken in that time, or is not empty although the Mac has to be created at once
 */
export async function addRental(
  tx: Transaction,
  deps: { readonly wake: Pick<Wake, 'wake'> },
  rental: NewRental,
): Promise<boolean> {
  const { rentalId, accountId, name = null, slotId, tier, xcode, state, now, ...agreed } = rental;
  if (!(await rows.isSlotFree(tx, slotId, agreed))) return false;
  const machine = { rentalId, accountId, name, slotId, tier, xcode, state, now, usableUntil: agreed.endsAt };
  if (!(await addMac(tx, deps, machine))) return false;
  await rows.insertRental(tx, { granted: null, amountWon: 0, ...agreed, rentalId });
  return true;
}

type Period = Pick<Rental, 'startsAt' | 'endsAt'>;

/** Changes a rental's times in its current slot. */
export async function setPeriod(
  tx: Transaction,
  { rentalId, slotId }: { rentalId: string; slotId: string },
  { startsAt, endsAt }: Period,
): Promise<void> {
  await rows.setPeriod(tx, rentalId, { startsAt, endsAt });
  await keepUntil(tx, rentalId, endsAt);
  await slotChanged(tx, slotId);
}

/** Moves a reservation to another slot or time. Returns false if it has begun. */
export async function moveReservation(
  tx: Transaction,
  to: { rentalId: string; slotId: string } & Period,
): Promise<boolean> {
  const mac = await findMac(tx, to.rentalId);
  if (mac?.state !== 'reserved') return false;
  if (mac.slotId !== to.slotId) await moveReservedMac(tx, mac, to.slotId);
  await setPeriod(tx, to, to);
  return true;
}

/** Adds (or removes) bought time at the end, and the amount paid for it. */
export async function lengthenRental(
  tx: Transaction,
  deps: { readonly wake: Pick<Wake, 'wake'> },
  rental: RentalWithMachine,
  by: { hours: number; amountWon: number; endsAt: number },
): Promise<void> {
  const { rentalId, slotId, startsAt } = rental;
  await rows.addBoughtTime(tx, { rentalId, hours: by.hours, amountWon: by.amountWon });
  await setPeriod(tx, rental, { startsAt, endsAt: by.endsAt });
  await wakeHostOf(tx, deps.wake, slotId);
}

/** Ends the rental now, in any state of its Mac; builds are settled by the rental-end worker. */
export async function cutRental(
  tx: Transaction,
  deps: { readonly clock: Clock; readonly wake: Pick<Wake, 'wake'> },
  rental: RentalWithMachine,
): Promise<void> {
  const now = deps.clock.now();
  await rows.requestEnd(tx, rental.rentalId, now);
  const { startsAt, endsAt } = rental;
  await setPeriod(tx, rental, { startsAt: Math.min(startsAt, now), endsAt: Math.min(endsAt, now) });
  await wakeHostOf(tx, deps.wake, rental.slotId);
}

export type Rentals = ReturnType<typeof createRentals>;

export function createRentals({ store, clock, wake }: { store: Store; clock: Clock; wake: Pick<Wake, 'wake'> }) {
  return {
    /**
     * Rents a free slot to an account without an order; the Mac starts as preparing. Returns the rental id.
     *
     * @param rental hours: bought time, which begins when the host first reports the Mac ready
     * @throws ApiError no_capacity if the slot is taken
     */
    create: ({
      accountId,
      slotId,
      tier,
      xcode,
      hours,
    }: {
      readonly accountId: number;
      readonly slotId: string;
      readonly tier: string;
      readonly xcode: string | null;
      readonly hours: number;
    }): Promise<string> =>
      store.transaction(async (tx) => {
        const now = clock.now();
        const rentalId = newId('rt');
        const machine = { rentalId, accountId, slotId, tier, xcode, state: 'preparing', now } as const;
        const period = { orderNo: null, hours, startsAt: now, endsAt: now + hours * HOUR_MS };
        const added = await addRental(tx, { wake }, { ...machine, ...period });
        if (!added) throw new ApiError('no_capacity');
        tx.onCommit(() => {
          wake.wake('builds', String(accountId));
          wake.wake('scheduler', String(accountId));
        });
        return rentalId;
      }),
  };
}
