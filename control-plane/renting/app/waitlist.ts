// The waitlist for Macs of a tier without free ones: entries and notifications.

import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { type NotifyDeps, notify } from '../../access/app/notices.js';
import { findTier, listTiers } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import type { Caller } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import { newId } from '../../platform/domain/ids.js';
import type { Transaction } from '../../platform/store/sql.js';
import { PASS_HOURS } from '../domain/pricing.js';
import { macsAvailable, type PlacedEntry, toNotify, type WaitlistEntry } from '../domain/waitlist.js';
import * as rows from '../store/waitlist.js';
import type { Availability } from './availability.js';
import { availableNow } from './catalog.js';
import { orderBarrier } from './order-placement.js';
import { type RentingEventDeps, recordAvailable } from './renting-events.js';

export interface WaitlistDeps extends NotifyDeps, RentingEventDeps, Pick<Core, 'store' | 'limits'> {
  readonly availability: Availability;
}

export type Waitlist = ReturnType<typeof createWaitlist>;

export function createWaitlist(deps: WaitlistDeps) {
  const { store, clock, limits, availability } = deps;
  return {
    /** Returns the account's entries, newest first. */
    list: (accountId: number) => rows.listEntries(store, accountId, limits.list_limit_max),

    /**
     * @param record called in the transaction of the entry
     * @throws ApiError invalid_waitlist (no such tier), waitlist_exists, available_now
     */
    async add(
      caller: Caller,
      { tier: id, units }: { tier: string; units: number },
      record: InTransaction<PlacedEntry>,
    ): Promise<PlacedEntry> {
      const added = await store.transaction(async (tx) => {
        const tier = await findTier(tx, id);
        if (!tier) {
          const message = `There is no tier "${id}".`;
          throw fieldError('invalid_waitlist', 'tier', fieldProblem('unknown_tier', { value: id }), { message });
        }
        const entered = await enter(tx, caller, tier, units);
        if (!(entered instanceof ApiError)) await record(tx, entered);
        return entered;
      });
      if (added instanceof ApiError) throw added;
      return added;
    },

    /**
     * @param record called in the transaction that ends the entry
     * @throws ApiError waitlist_not_found, waitlist_not_cancellable
     */
    async cancel(accountId: number, entryId: string, record: InTransaction<PlacedEntry>): Promise<PlacedEntry> {
      return store.transaction(async (tx) => {
        const entry = await rows.findEntry(tx, accountId, entryId);
        if (!entry) throw new ApiError('waitlist_not_found');
        if (!(await rows.changeEntry(tx, entryId, 'cancelled', clock.now()))) {
          throw new ApiError('waitlist_not_cancellable', { message: `The entry is ${entry.status}.` });
        }
        tx.onCommit(() => deps.wake.wake('availability'));
        const cancelled: PlacedEntry = { ...entry, status: 'cancelled', position: null };
        await record(tx, cancelled);
        return cancelled;
      });
    },
  };

  async function enter(tx: Transaction, caller: Caller, tier: Tier, units: number): Promise<PlacedEntry | ApiError> {
    const now = clock.now();
    const accountId = caller.account.id;
    const entryId = newId('wl');
    const barrier = await orderBarrier(tx, caller.account, now, limits);
    const calendar = await availability.within(tx);
    const { free, orderable } = availableNow(calendar, tier, accountId, now, limits);
    if (await rows.isWaiting(tx, accountId, tier.tier)) return new ApiError('waitlist_exists');
    if (free >= units) return availableNowError(tier.tier, units, orderable, barrier);
    await rows.insertEntry(tx, { entryId, accountId, tier: tier.tier, units, now });
    const entry = await rows.findEntry(tx, accountId, entryId);
    if (!entry) throw new Error('the entry that was just written is missing');
    return entry;
  }
}

/**
 * @param orderable number of Macs that the account's next order may have
 * @param barrier why it can order none at all now
 */
function availableNowError(tier: string, asked: number, orderable: number, barrier: ApiError | null): ApiError {
  if (barrier) {
    return new ApiError('available_now', {
      message: `Macs are free, but this account cannot order now (${barrier.code}): ${barrier.message}`,
      detail: { available_now: 0 },
      ...(barrier.retryAfterS === null ? {} : { retryAfterS: barrier.retryAfterS }),
      next: barrier.next,
    });
  }
  const path = `${API_ROOT}/orders`;
  const units = Math.min(asked, orderable);
  const order = { action: 'order', method: 'POST', path, body: { tier, hours: PASS_HOURS, units } };
  const pay = { action: 'list_unpaid_orders', method: 'GET', path: `${path}?status=awaiting_payment` };
  return new ApiError('available_now', {
    ...(units > 0 ? {} : { message: 'Macs are free; pay for the unpaid orders, then order more.' }),
    detail: { available_now: orderable },
    next: [units > 0 ? order : pay],
  });
}

/**
 * Notifies the entries that can be served now.
 *
 * @returns when the next notification expires, so that others may be notified, or null
 */
export async function notifyWaiting(deps: WaitlistDeps): Promise<number | null> {
  const { store, clock, limits, availability } = deps;
  if ((await rows.readWaitingEntries(store)).length === 0) return null;
  return store.transaction(async (tx) => {
    const now = clock.now();
    const waiting = await rows.readWaitingEntries(tx);
    const tiers = await listTiers(tx);
    // Ends at a time that people were told, so it follows the clock.
    const promised = await rows.readPromisedUnits(tx, now - limits.waitlist_offer_ms);
    const calendar = await availability.within(tx);
    let oldestAt = promised.oldestAt;
    for (const tier of tiers) {
      const entries = waiting.filter((entry) => entry.tier === tier.tier);
      const free = (accountId: number) => availableNow(calendar, tier, accountId, now, limits).free;
      for (const entry of toNotify(entries, free, promised.units.get(tier.tier) ?? 0)) {
        await tell(tx, deps, tier, entry, now);
        oldestAt ??= now;
      }
    }
    return oldestAt === null ? null : oldestAt + limits.waitlist_offer_ms;
  });
}

async function tell(tx: Transaction, deps: WaitlistDeps, tier: Tier, entry: WaitlistEntry, now: number): Promise<void> {
  const { entryId, accountId, units } = entry;
  if (!(await rows.changeEntry(tx, entryId, 'notified', now))) return;
  await recordAvailable(tx, deps, entry);
  await notify(tx, deps, { accountId, kind: 'waitlist', says: macsAvailable(tier, units) });
}
