// Quotes for new Macs: price and availability. Holds nothing.
import type { Clock } from '../../../shared/clock.js';
import { findTier } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries, Store } from '../../platform/store/sql.js';
import { orderable } from '../domain/capacity.js';
import { checkOrderHours, type Price, priceOf } from '../domain/pricing.js';
import type { Availability } from './availability.js';

export interface QuoteRequest {
  readonly tier: string;
  readonly hours: number;
  readonly units: number;
}

export interface Quote extends QuoteRequest, Price {
  readonly unitPriceWon: number;
  /** Macs that can be ordered for these hours, starting now. */
  readonly availableNow: number;
  readonly salesOpen: boolean;
}

export interface QuotesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly availability: Availability;
}

/** Throws invalid_tier. */
export async function existingTier(q: Queries, tier: string): Promise<Tier> {
  const found = await findTier(q, tier);
  if (found) return found;
  throw new ApiError('invalid_tier', { message: `There is no tier "${tier}".`, detail: { field: 'tier' } });
}

export type Quotes = ReturnType<typeof createQuotes>;

export function createQuotes({ store, clock, limits, availability }: QuotesDeps) {
  return {
    /** @throws ApiError invalid_tier, invalid_period */
    async quote(accountId: number, { tier: id, hours, units }: QuoteRequest): Promise<Quote> {
      const tier = await existingTier(store, id);
      checkOrderHours(hours, tier, limits);
      const calendar = await availability.current(store);
      const demand = { accountId, hours, startAt: null, now: clock.now() };
      return {
        ...{ tier: id, hours, units, unitPriceWon: tier.priceWon, salesOpen: tier.salesOpen },
        ...priceOf(tier.priceWon, hours, units),
        availableNow: orderable(calendar, tier, demand, limits),
      };
    },
  };
}
