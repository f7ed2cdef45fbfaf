// The catalog: tiers and their availability.
import { queueCounts } from '../../builds/app/queue.js';
import { listTiers } from '../../macs/app/tiers.js';
import type { Tier, TierAvailability } from '../../macs/domain/tier.js';
import type { Core } from '../../platform/app/core.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Calendar } from '../domain/calendar.js';
import { demandFor, orderable, orderableUnpaid } from '../domain/capacity.js';
import { PASS_HOURS } from '../domain/pricing.js';
import type { PlacedEntry } from '../domain/waitlist.js';
import { readSlotUse } from '../store/slot-use.js';
import { countWaitingUnits, listCurrentEntries } from '../store/waitlist.js';
import type { Availability } from './availability.js';
import { type Buyer, orderBarrier } from './order-placement.js';

export interface TierOnSale {
  readonly tier: Tier;
  readonly availability: TierAvailability;
  /** The account's entries on the tier's waitlist, newest first. */
  readonly waitlist: readonly PlacedEntry[];
}

export type Catalog = ReturnType<typeof createCatalog>;

export interface CatalogDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly availability: Availability;
}

/**
 * Returns how many Macs of the tier are free for the account for one pass starting now, and how many of them its next
 * order may have while it is not paid.
 */
export function availableNow(
  calendar: Calendar,
  tier: Tier,
  accountId: number,
  now: number,
  limits: Limits,
): { free: number; orderable: number } {
  const demand = demandFor(tier, { accountId, hours: PASS_HOURS, startAt: null, now });
  return {
    free: orderable(calendar, tier, demand, limits),
    orderable: Math.min(limits.order_units, orderableUnpaid(calendar, tier, demand, limits)),
  };
}

export function createCatalog({ store, clock, limits, availability }: CatalogDeps) {
  return {
    /** Returns every tier, cheapest first, with its availability for the account. */
    async list(account: Buyer): Promise<TierOnSale[]> {
      const { id: accountId } = account;
      const now = clock.now();
      const [tiers, uses, waitingUnits, entries, barrier] = await Promise.all([
        listTiers(store),
        readSlotUse(store),
        countWaitingUnits(store),
        listCurrentEntries(store, accountId),
        orderBarrier(store, account, now, limits),
      ]);
      const calendar = await availability.current(store);
      return tiers.map((tier) => ({
        tier,
        availability: {
          tier: tier.tier,
          total: 0,
          reserved: 0,
          inUse: 0,
          ...uses.get(tier.tier),
          ...availableNow(calendar, tier, accountId, now, limits),
          ...(barrier === null ? {} : { orderable: 0 }),
          waitingUnits: waitingUnits.get(tier.tier) ?? 0,
        },
        waitlist: entries.filter((entry) => entry.tier === tier.tier),
      }));
    },
    /** How many builds of the account are running and waiting. */
    queueCounts: (accountId: number): Promise<{ running: number; queued: number }> => queueCounts(store, accountId),
  };
}
