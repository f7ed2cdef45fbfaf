// Macs come into being: reservations begin, hosts make Macs, and what one host cannot make another one does.

import { endFrom, endIfReady, type Rental } from '../../macs/domain/mac.js';
import { changeRental } from '../../macs/store/macs.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { changeOrder, findAnyOrder } from '../store/orders.js';
import {
  findLiveRental,
  findMaking,
  findTenant,
  type Making,
  moveMac,
  moveReservation,
  readDueStarts,
  readMaking,
  renewMaking,
} from '../store/rentals.js';
import { makeRoom, occupationOf } from './occupancy.js';
import { beginWork, type OrderChangeDeps, orderMacReady, wakeForOrder, wakeHost } from './order-changes.js';
import { cancelOrder } from './order-ends.js';

/** Of a Mac with less time left than this, how often what it loses is written down. */
const LOOK_AGAIN_MS = 60_000;

export interface ProvisioningDeps extends OrderChangeDeps {
  readonly store: Store;
  readonly limits: Limits;
}

/**
 * A Mac is ready for the first time, or again after the platform kept it away: its time ends later than was thought
 * when somebody else was promised what lies behind it, so room is made; and its order may be complete.
 */
export async function macIsReady(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'clock' | 'wake' | 'stock'>,
  rentalId: string,
): Promise<void> {
  const rental = await findLiveRental(tx, rentalId);
  if (!rental) return;
  const calendar = await deps.stock.within(tx);
  await makeRoom(tx, calendar, occupationOf(rental), rental.tier, deps.clock.now());
  await orderMacReady(tx, deps, rental.rentalId);
  tx.onCommit(() => deps.wake.wake('stock'));
}

/** Begins the reservations whose time has come; answers when the next one does, or null. */
export async function beginDueRentals(deps: ProvisioningDeps): Promise<number | null> {
  const { due, nextAt } = await readDueStarts(deps.store, deps.clock.now());
  for (const { rentalId } of due) await deps.store.transaction((tx) => begin(tx, deps, rentalId));
  return nextAt;
}

async function begin(tx: Transaction, deps: ProvisioningDeps, rentalId: string): Promise<void> {
  const now = deps.clock.now();
  // The start of another one may have moved it, or its order may have been canceled.
  const seen = await findLiveRental(tx, rentalId);
  if (seen?.state !== 'reserved' || seen.startsAt > now) return;
  const tenant = await findTenant(tx, seen.slotId);
  // It is about to go; its end wakes us.
  if (tenant && tenant.readyAt !== null && tenant.endsAt <= now) return;
  const calendar = await deps.stock.within(tx);
  const times = { startsAt: now, endsAt: endFrom(seen, now) };
  const host = calendar.hostOfSlot(seen.slotId);
  let { slotId } = seen;
  if (tenant || !host?.inService || !host.connected) {
    const sought = { tier: seen.tier, accountId: seen.accountId, window: times, now };
    const [other] = calendar.pick(sought, 1) ?? [];
    if (other !== undefined && (await findTenant(tx, other)) === null) slotId = other;
    else if (tenant) return;
    else if (!host?.inService) return giveUpWaiting(tx, deps, seen, now);
  }
  if (slotId !== seen.slotId) await moveReservation(tx, { rentalId: seen.rentalId, slotId, ...times });
  if (!(await changeRental(tx, seen, 'begin', { ...times, preparingSince: now }))) return;
  await makeRoom(
    tx,
    calendar,
    occupationOf({ ...seen, slotId, ...times, state: 'preparing' }),
    seen.tier,
    now,
  );
  await beginWork(tx, deps, { ...seen, slotId, revision: 1 }, now);
  const order = seen.orderNo === null ? null : await findAnyOrder(tx, seen.orderNo);
  if (order?.status === 'paid') await changeOrder(tx, order, 'provision', {});
  wakeForOrder(tx, deps.wake, { orderNo: seen.orderNo ?? '', accountId: seen.accountId });
}

/** Its host is out of service and there is no other: it waits a while, then the money goes back. */
async function giveUpWaiting(
  tx: Transaction,
  deps: ProvisioningDeps,
  seen: Rental,
  now: number,
): Promise<void> {
  if (now < seen.startsAt + deps.limits.provision_give_up_ms || seen.orderNo === null) return;
  const order = await findAnyOrder(tx, seen.orderNo);
  if (order) await cancelOrder(tx, deps, order, 'no_capacity');
}

/**
 * Has Macs made elsewhere whose host has failed, has been removed, or takes too long. Where there is no other slot an
 * order that has no Mac yet is cancelled and refunded.
 *
 * @returns when the next Mac needs a look, or null
 */
export async function rescueMaking(deps: ProvisioningDeps): Promise<number | null> {
  const { store, clock, limits } = deps;
  const now = clock.now();
  const givenUpAt = ({ rental }: Making) => (rental.preparingSince ?? now) + limits.provision_give_up_ms;
  const isStuck = (one: Making) => one.rental.prepareFailed || one.hostRemoved || givenUpAt(one) <= now;
  const hasRunOut = ({ rental }: Making) => rental.awaySince !== null && rental.endsAt <= now;
  const making = await readMaking(store);
  for (const { rental } of making.filter((one) => isStuck(one) || hasRunOut(one))) {
    await store.transaction(async (tx) => {
      // What was done for another Mac of its order may have ended or moved it.
      const one = await findMaking(tx, rental.rentalId);
      if (one && isStuck(one)) await rescue(tx, deps, one.rental, now);
      else if (one && hasRunOut(one)) await renew(tx, deps, one.rental, now, one.rental.preparingSince);
    });
  }
  const next = making
    .flatMap((one) => [givenUpAt(one), ...(one.rental.awaySince === null ? [] : [one.rental.endsAt])])
    .map((at) => (at > now ? at : now + LOOK_AGAIN_MS));
  return next.length > 0 ? Math.min(...next) : null;
}

async function rescue(tx: Transaction, deps: ProvisioningDeps, seen: Rental, now: number): Promise<void> {
  const { limits, wake } = deps;
  const slotId = await otherSlot(tx, deps, seen, now);
  const mayTry = seen.generation < limits.provision_attempts || seen.readyAt !== null;
  if (slotId !== undefined && mayTry) {
    if (!(await moveMac(tx, seen, { slotId, ...timesIfReady(seen, now), now }))) return;
    await wakeHost(tx, deps, seen.slotId);
    await wakeHost(tx, deps, slotId);
    tx.onCommit(() => wake.wake('stock'));
    return;
  }
  const order = seen.orderNo === null || seen.readyAt !== null ? null : await findAnyOrder(tx, seen.orderNo);
  if (order && (await cancelOrder(tx, deps, order, 'no_capacity'))) return;
  // Its host goes on trying; what it will use up of the calendar begins now.
  const isOver = (seen.preparingSince ?? 0) + limits.provision_give_up_ms <= now;
  const hasRunOut = seen.awaySince !== null && seen.endsAt <= now;
  if (isOver || hasRunOut) await renew(tx, deps, seen, now, isOver ? now : seen.preparingSince);
}

/** A slot on another host for the time that is left; undefined: there is none, or the Mac belongs to its host. */
async function otherSlot(tx: Transaction, deps: ProvisioningDeps, seen: Rental, now: number) {
  if (seen.granted === 'host') return undefined;
  const calendar = await deps.stock.within(tx);
  const here = calendar.hostOfSlot(seen.slotId)?.hostId;
  const window = { startsAt: now, endsAt: Math.max(endIfReady(seen, now), now + 1) };
  const { tier, accountId } = seen;
  return calendar.pick({ tier, accountId, window, now }, 1, new Set(here === undefined ? [] : [here]))?.[0];
}

/** The times of a Mac that is being made, were it ready now: what it lost until now is added to its end. */
const timesIfReady = (seen: Rental, now: number) => ({
  startsAt: seen.readyAt === null ? now : seen.startsAt,
  endsAt: endIfReady(seen, now),
  awaySince: seen.awaySince === null ? null : now,
});

/** Writes down the times as they are now, and moves what was promised behind them. */
async function renew(
  tx: Transaction,
  deps: ProvisioningDeps,
  seen: Rental,
  now: number,
  preparingSince: number | null,
): Promise<void> {
  const times = timesIfReady(seen, now);
  const calendar = await deps.stock.within(tx);
  await makeRoom(tx, calendar, occupationOf({ ...seen, ...times }), seen.tier, now);
  await renewMaking(tx, { rentalId: seen.rentalId, preparingSince, ...times });
}
