// Provisioning: reservations begin, hosts create Macs, and a Mac that one host cannot create moves to another.
import { tenantOf } from '../../macs/app/macs.js';
import { beginMac, findMacInMaking, type Making, macsInMaking, moveMac, restartMaking } from '../../macs/app/making.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { Core } from '../../platform/app/core.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { gives, isUp } from '../domain/occupation.js';
import { endFrom, endIfReady, type Rental, type RentalWithMachine } from '../domain/rental.js';
import { changeOrder, findAnyOrder } from '../store/orders.js';
import { findRental, readDueStarts, readRentals } from '../store/rentals.js';
import { makeRoom, occupationOf } from './occupancy.js';
import { type OrderChangeDeps, orderMacReady, wakeForOrder } from './order-changes.js';
import { cancelOrder } from './order-ends.js';
import { findLiveRental, moveReservation, setPeriod } from './rentals.js';
import { recordRentalEvent } from './renting-events.js';

/** Delay until an overdue Mac is checked again. */
const LOOK_AGAIN_MS = 60_000;

export interface ProvisioningDeps extends OrderChangeDeps, Pick<Core, 'store' | 'limits'> {}

/**
 * Handles a Mac that is ready for the first time, or again after an outage. Its rental ends later than planned, so
 * conflicting reservations behind it are moved; its order may be complete.
 *
 * @param before the Mac as it was before it was ready
 */
export async function macIsReady(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'clock' | 'wake' | 'availability' | 'site'>,
  before: Mac,
): Promise<void> {
  const rental = await findLiveRental(tx, before.rentalId);
  if (!rental) return;
  const now = deps.clock.now();
  const times = {
    // The bought time begins once, even if the Mac is recreated; time lost to the platform is added.
    startsAt: before.readyAt === null ? now : rental.startsAt,
    endsAt: endIfReady({ ...rental, readyAt: before.readyAt, awaySince: before.awaySince }, now),
  };
  await setPeriod(tx, rental, times);
  const calendar = await deps.availability.within(tx);
  await makeRoom(tx, calendar, occupationOf({ ...rental, ...times }), rental.tier, now);
  if (before.readyAt === null) await recordRentalEvent(tx, deps, 'rental.started', rental.rentalId);
  await orderMacReady(tx, deps, rental.rentalId);
  tx.onCommit(() => deps.wake.wake('availability'));
}

/** Begins due reservations. Returns when the next one is due, or null. */
export async function beginDueRentals(deps: ProvisioningDeps): Promise<number | null> {
  const { due, nextAt } = await readDueStarts(deps.store, deps.clock.now());
  for (const rentalId of due) await deps.store.transaction((tx) => begin(tx, deps, rentalId));
  return nextAt;
}

async function begin(tx: Transaction, deps: ProvisioningDeps, rentalId: string): Promise<void> {
  const now = deps.clock.now();
  // Starting another one may have moved it, or its order may have been canceled.
  const seen = await findLiveRental(tx, rentalId);
  if (seen?.state !== 'reserved' || seen.startsAt > now) return;
  const tenant = await tenantOf(tx, seen.slotId);
  // The Mac in it is about to be removed, which wakes this worker.
  if (tenant && tenant.readyAt !== null && tenant.usableUntil <= now) return;
  const calendar = await deps.availability.within(tx);
  const times = { startsAt: now, endsAt: endFrom(seen, now) };
  const host = calendar.hostOfSlot(seen.slotId);
  let { slotId } = seen;
  if (tenant || !host?.inService || !isUp(host) || !gives(host, seen.xcode)) {
    const { tier, accountId, xcode } = seen;
    const sought = { tier, accountId, window: times, now, xcode };
    const [other] = calendar.pick(sought, 1) ?? [];
    if (other !== undefined && (await tenantOf(tx, other)) === null) slotId = other;
    else if (tenant) return;
    else if (!host?.inService) return giveUpWaiting(tx, deps, seen, now);
  }
  if (slotId !== seen.slotId) await moveReservation(tx, { rentalId: seen.rentalId, slotId, ...times });
  if (!(await beginMac(tx, deps, { ...seen, slotId }))) return;
  await setPeriod(tx, { rentalId, slotId }, times);
  await makeRoom(tx, calendar, occupationOf({ ...seen, slotId, ...times, state: 'preparing' }), seen.tier, now);
  const order = seen.orderNo === null ? null : await findAnyOrder(tx, seen.orderNo);
  if (order?.status === 'paid') await changeOrder(tx, order, 'provision', {});
  wakeForOrder(tx, deps.wake, { orderNo: seen.orderNo ?? '', accountId: seen.accountId });
}

/** Its host is out of service and there is no other: it waits for a while, then the order is refunded. */
async function giveUpWaiting(
  tx: Transaction,
  deps: ProvisioningDeps,
  seen: RentalWithMachine,
  now: number,
): Promise<void> {
  if (now < seen.startsAt + deps.limits.provision_give_up_ms || seen.orderNo === null) return;
  const order = await findAnyOrder(tx, seen.orderNo);
  if (order) await cancelOrder(tx, deps, order, 'no_capacity');
}

/**
 * Moves Macs whose host has failed, was removed or takes too long. If there is no other slot, an order without any Mac
 * yet is canceled and refunded.
 *
 * @returns when the next Mac has to be checked, or null
 */
export async function rescueMaking(deps: ProvisioningDeps): Promise<number | null> {
  const { store, clock, limits } = deps;
  const now = clock.now();
  const givenUpAt = ({ rental }: RentalInMaking) => (rental.preparingSince ?? now) + limits.provision_give_up_ms;
  const isStuck = (one: RentalInMaking) => one.rental.prepareFailed || one.hostRemoved || givenUpAt(one) <= now;
  const hasRunOut = ({ rental }: RentalInMaking) => rental.awaySince !== null && rental.endsAt <= now;
  const making = await rentalsInMaking(store);
  for (const { rental } of making.filter((one) => isStuck(one) || hasRunOut(one))) {
    await store.transaction(async (tx) => {
      // Handling another Mac of its order may have ended or moved it.
      const one = await findInMaking(tx, rental.rentalId);
      if (one && isStuck(one)) await rescue(tx, deps, one.rental, now);
      else if (one && hasRunOut(one)) await renew(tx, deps, one.rental, now, one.rental.preparingSince);
    });
  }
  const next = making
    .flatMap((one) => [givenUpAt(one), ...(one.rental.awaySince === null ? [] : [one.rental.endsAt])])
    .map((at) => (at > now ? at : now + LOOK_AGAIN_MS));
  return next.length > 0 ? Math.min(...next) : null;
}

/** A rental whose Mac is being created and that is not about to end. */
interface RentalInMaking {
  readonly rental: RentalWithMachine;
  readonly hostRemoved: boolean;
}

async function rentalsInMaking(q: Queries): Promise<RentalInMaking[]> {
  const making = await macsInMaking(q);
  const rentals = await readRentals(
    q,
    making.map(({ machine }) => machine.rentalId),
  );
  return making.flatMap((one) => inMaking(one, rentals.get(one.machine.rentalId)));
}

async function findInMaking(q: Queries, rentalId: string): Promise<RentalInMaking | undefined> {
  const one = await findMacInMaking(q, rentalId);
  return one ? inMaking(one, (await findRental(q, rentalId)) ?? undefined)[0] : undefined;
}

function inMaking({ machine, hostRemoved }: Making, rental: Rental | undefined): RentalInMaking[] {
  if (!rental || rental.endRequestedAt !== null) return [];
  return [{ rental: { ...rental, ...machine }, hostRemoved }];
}

async function rescue(tx: Transaction, deps: ProvisioningDeps, seen: RentalWithMachine, now: number): Promise<void> {
  const { limits, wake } = deps;
  const slotId = await otherSlot(tx, deps, seen, now);
  const mayTry = seen.generation < limits.provision_attempts || seen.readyAt !== null;
  if (slotId !== undefined && mayTry) {
    const times = timesIfReady(seen, now);
    if (!(await moveMac(tx, deps, seen, { slotId, awaySince: times.awaySince }))) return;
    await setPeriod(tx, { rentalId: seen.rentalId, slotId }, times);
    tx.onCommit(() => wake.wake('availability'));
    return;
  }
  const order = seen.orderNo === null || seen.readyAt !== null ? null : await findAnyOrder(tx, seen.orderNo);
  if (order && (await cancelOrder(tx, deps, order, 'no_capacity'))) return;
  // Its host keeps trying; its time in the calendar starts now.
  const isOver = (seen.preparingSince ?? 0) + limits.provision_give_up_ms <= now;
  const hasRunOut = seen.awaySince !== null && seen.endsAt <= now;
  if (isOver || hasRunOut) await renew(tx, deps, seen, now, isOver ? now : seen.preparingSince);
}

/**
 * Returns a slot on another host for the remaining time; undefined if there is none or the Mac is pinned to its host.
 */
async function otherSlot(tx: Transaction, deps: ProvisioningDeps, seen: RentalWithMachine, now: number) {
  if (seen.granted === 'host') return undefined;
  const calendar = await deps.availability.within(tx);
  const here = calendar.hostOfSlot(seen.slotId)?.hostId;
  const window = { startsAt: now, endsAt: Math.max(endIfReady(seen, now), now + 1) };
  const { tier, accountId, xcode } = seen;
  return calendar.pick({ tier, accountId, window, now, xcode }, 1, new Set(here === undefined ? [] : [here]))?.[0];
}

/** Returns the times of a Mac as if it became ready now: the time lost so far is added to its end. */
const timesIfReady = (seen: RentalWithMachine, now: number) => ({
  startsAt: seen.readyAt === null ? now : seen.startsAt,
  endsAt: endIfReady(seen, now),
  awaySince: seen.awaySince === null ? null : now,
});

/** Writes the current times and moves conflicting reservations. */
async function renew(
  tx: Transaction,
  deps: ProvisioningDeps,
  seen: RentalWithMachine,
  now: number,
  preparingSince: number | null,
): Promise<void> {
  const times = timesIfReady(seen, now);
  const calendar = await deps.availability.within(tx);
  await makeRoom(tx, calendar, occupationOf({ ...seen, ...times }), seen.tier, now);
  await setPeriod(tx, seen, times);
  await restartMaking(tx, { rentalId: seen.rentalId, preparingSince, awaySince: times.awaySince });
}
