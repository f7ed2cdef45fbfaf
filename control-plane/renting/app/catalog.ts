// The catalog: tiers and their availability.
import type { Clock } from '../../../shared/clock.js';
import { queueCounts } from '../../builds/app/queue.js';
import { listTiers } from '../../macs/app/tiers.js';
import type { Tier, TierAvailability } from '../../macs/domain/tier.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import type { Calendar } from '../domain/calendar.js';
import { orderable } from '../domain/capacity.js';
import { PASS_HOURS } from '../domain/pricing.js';
import type { PlacedEntry } from '../domain/waitlist.js';
import { readSlotUse } from '../store/slot-use.js';
import { countWaitingUnits, listCurrentEntries } from '../store/waitlist.js';
import type { Availability } from './availability.js';

export interface TierOnSale {
  readonly tier: Tier;
  readonly availability: TierAvailability;
  /** The account's entries on the tier's waitlist, newest first. */
  readonly waitlist: readonly PlacedEntry[];
}

export interface Catalog {
  /** Returns every tier, cheapest first, with its availability for the account. */
  list(accountId: number): Promise<TierOnSale[]>;
  /** How many builds of the account are running and waiting. */
  queueCounts(accountId: number): Promise<{ running: number; queued: number }>;
}

export interface CatalogDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly availability: Availability;
}

/** Returns how many Macs of the tier the account can order for one pass starting now. */
export function availableNow(
  calendar: Calendar,
  tier: Tier,
  accountId: number,
  now: number,
  limits: Limits,
): number {
  return orderable(calendar, tier, { accountId, hours: PASS_HOURS, startAt: null, now }, limits);
}

export function createCatalog({ store, clock, limits, availability }: CatalogDeps): Catalog {
  return {
    async list(accountId) {
      const [tiers, uses, waitingUnits, entries] = await Promise.all([
        listTiers(store),
        readSlotUse(store),
        countWaitingUnits(store),
        listCurrentEntries(store, accountId),
      ]);
      const calendar = await availability.current(store);
      const now = clock.now();
      return tiers.map((tier) => ({
        tier,
        availability: {
          ...{ tier: tier.tier, total: 0, reserved: 0, inUse: 0 },
          ...uses.get(tier.tier),
          free: availableNow(calendar, tier, accountId, now, limits),
          waitingUnits: waitingUnits.get(tier.tier) ?? 0,
        },
        waitlist: entries.filter((entry) => entry.tier === tier.tier),
      }));
    },
    queueCounts: (accountId) => queueCounts(store, accountId),
  };
}
