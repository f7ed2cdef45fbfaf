// Fulfils a paid order: its slots and Macs. Ends of orders are in order-ends.ts. For use inside a transaction.
import type { Clock } from '../../../shared/clock.js';
import type { NewNotice } from '../../access/app/notices.js';
import { releaseNames } from '../../macs/app/mac-names.js';
import { findTier } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Calendar } from '../domain/calendar.js';
import { gives } from '../domain/occupation.js';
import type { Order } from '../domain/order.js';
import type { Hold } from '../store/holds.js';
import { changeOrder, countReadyMacs, findAnyOrder } from '../store/orders.js';
import type { Availability } from './availability.js';
import { releaseHolds } from './holds.js';
import { makeRoom } from './occupancy.js';
import { addRental, findLiveRental, lengthenRental } from './rentals.js';
import { type RentingEventDeps, recordOrderEvent, recordRentalEvent } from './renting-events.js';

export interface Refund {
  readonly orderNo: string;
  readonly accountId: number;
  readonly amountWon: number;
  readonly reason: string;
}

/**
 * Requests a refund of a paid order: recorded in the transaction, carried out after it. Returns what came back as credit, in
 * millionths of a dollar; null if the payment method gets it.
 */
export type RequestRefund = (tx: Transaction, refund: Refund) => Promise<number | null>;

export interface OrderChangeDeps extends RentingEventDeps {
  readonly clock: Clock;
  readonly wake: Wake;
  readonly availability: Availability;
  readonly requestRefund: RequestRefund;
  /** Notifies the account's people, in the transaction. */
  readonly notify: (tx: Transaction, notice: NewNotice) => Promise<void>;
}

/** Wakes, after the commit, waiters for this order, the account's orders, Macs and free slots. */
export function wakeForOrder(
  tx: Transaction,
  wake: Wake,
  { orderNo, accountId }: Pick<Order, 'orderNo' | 'accountId'>,
): void {
  tx.onCommit(() => {
    wake.wake('order', orderNo);
    wake.wake('orders', String(accountId), { id: orderNo });
    wake.wake('availability');
    wake.wake('builds', String(accountId));
    wake.wake('scheduler', String(accountId));
  });
}

/**
 * Applies a payment: the order's holds become rentals, or extend existing ones.
 *
 * @returns the changed order; null if it no longer awaits payment or the Macs that it extends have ended, so that the
 * payment has to be refunded
 */
export async function payOrder(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  at: number,
): Promise<Order | null> {
  const paid = await changeOrder(tx, order, 'pay', { paidAt: at });
  if (!paid) return null;
  wakeForOrder(tx, deps.wake, order);
  const holds = await releaseHolds(tx, order.orderNo);
  await releaseNames(tx, order.orderNo);
  const fulfilled =
    order.kind === 'extension'
      ? await lengthen(tx, deps, paid, holds, at)
      : await createRentals(tx, deps, paid, holds, at);
  if (fulfilled) await recordOrderEvent(tx, deps, 'order.paid', fulfilled);
  return fulfilled;
}

async function lengthen(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  holds: readonly Hold[],
  at: number,
): Promise<Order | null> {
  const rentals = await Promise.all(order.items.map(({ rentalId }) => findLiveRental(tx, rentalId)));
  const isGone = rentals.some((rental) => rental === null || rental.endRequestedAt !== null);
  if (isGone || holds.length < rentals.length) {
    await changeOrder(tx, order, 'cancel', { endedAt: at, endReason: 'no_capacity' });
    return null;
  }
  for (const rental of rentals) {
    if (!rental) continue;
    const endsAt = rental.endsAt + order.hours * HOUR_MS;
    const { rentalId } = rental;
    const amountWon = order.items.find((item) => item.rentalId === rentalId)?.amountWon ?? 0;
    await lengthenRental(tx, deps, rental, { hours: order.hours, amountWon, endsAt });
    await recordRentalEvent(tx, deps, 'rental.extended', rentalId);
  }
  return changeOrder(tx, order, 'fulfill', {});
}

async function createRentals(
  tx: Transaction,
  deps: OrderChangeDeps,
  order: Order,
  holds: readonly Hold[],
  at: number,
): Promise<Order> {
  const tier = order.tier === null ? null : await findTier(tx, order.tier);
  if (!tier) throw new Error(`order ${order.orderNo} has no tier`);
  const calendar = await deps.availability.within(tx);
  const xcode = order.setup.xcode ?? tier.defaultXcode;
  // An operator may have taken the host out of service since the order was placed, or its Xcode may be gone.
  const stays = ({ slotId, startsAt }: Hold) => {
    const host = calendar.hostOfSlot(slotId);
    return host?.inService === true && (startsAt > at || gives(host, xcode));
  };
  let begun = false;
  // Those that stay come first, so that no other takes their slots. Lists show the Macs of an order by their ids.
  const rentalIds = holds.map(() => newId('rt')).sort();
  for (const [index, hold] of [...holds.filter(stays), ...holds.filter((one) => !stays(one))].entries()) {
    const made = { rentalId: rentalIds[index] ?? newId('rt'), name: order.names[index] ?? null };
    const state = await createRental(tx, deps, calendar, tier, order, made, hold, at, xcode, stays(hold));
    begun ||= state === 'preparing';
  }
  return (begun ? await changeOrder(tx, order, 'provision', {}) : null) ?? order;
}

async function createRental(
  tx: Transaction,
  deps: OrderChangeDeps,
  calendar: Calendar,
  tier: Tier,
  order: Order,
  { rentalId, name }: { readonly rentalId: string; readonly name: string | null },
  hold: Hold,
  at: number,
  xcode: string | null,
  stays: boolean,
): Promise<'preparing' | 'reserved'> {
  const { accountId, hours, orderNo } = order;
  const startsAt = Math.max(hold.startsAt, at);
  const times = { startsAt, endsAt: startsAt + hours * HOUR_MS };
  const seeker = { tier: tier.tier, accountId, window: times, now: at, xcode };
  const slotId = stays ? hold.slotId : (calendar.pick(seeker, 1)?.[0] ?? hold.slotId);
  const occupation = {
    id: rentalId,
    accountId,
    slotId,
    ...times,
    movable: startsAt > at,
    extends: null,
    xcode,
  };
  await makeRoom(tx, calendar, occupation, tier.tier, at);

  const row = {
    rentalId,
    accountId,
    name,
    orderNo,
    slotId,
    tier: tier.tier,
    xcode,
    hours,
    ...times,
    amountWon: order.amountWon / order.units,
    now: at,
  };
  if (startsAt <= at && (await addRental(tx, deps, { ...row, state: 'preparing' }))) return 'preparing';
  // Its start is in the future, or the slot is about to become empty.
  if (await addRental(tx, deps, { ...row, state: 'reserved' })) return 'reserved';
  throw new Error(`the slot ${slotId} that order ${orderNo} held is taken`);
}

/** Must be called when a Mac has become ready: its order is ready once all its Macs have been. */
export async function orderMacReady(
  tx: Transaction,
  deps: Pick<OrderChangeDeps, 'wake'>,
  rentalId: string,
): Promise<void> {
  const rental = await findLiveRental(tx, rentalId);
  const order = rental?.orderNo ? await findAnyOrder(tx, rental.orderNo) : null;
  if (order?.status !== 'provisioning') return;
  const { macs, ready } = await countReadyMacs(tx, order.orderNo);
  if (ready < macs || !(await changeOrder(tx, order, 'ready', {}))) return;
  wakeForOrder(tx, deps.wake, order);
}
