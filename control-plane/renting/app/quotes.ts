// Quotes for new Macs: price and availability. Holds nothing.
import { findTier } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { Core } from '../../platform/app/core.js';
import { API_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Queries } from '../../platform/store/sql.js';
import { demandFor, orderableUnpaid } from '../domain/capacity.js';
import { startFrom } from '../domain/order-start.js';
import { checkOrderHours, type Price, priceOf } from '../domain/pricing.js';
import type { Availability } from './availability.js';
import { type Buyer, orderBarrier } from './order-placement.js';
import { checkXcode, isAhead, xcodeRefusal } from './xcode-refusal.js';

export interface QuoteRequest {
  readonly tier: string;
  readonly hours: number;
  readonly units: number;
  /** Null: now. */
  readonly startAt: number | null;
  /** Null: the tier's default. */
  readonly xcode: string | null;
}

export interface Quote extends Pick<QuoteRequest, 'tier' | 'hours' | 'units' | 'startAt'>, Price {
  readonly unitPriceWon: number;
  /** Macs that the account can order now for these hours and this start. */
  readonly availableNow: number;
  readonly salesOpen: boolean;
}

export interface QuotesDeps extends Pick<Core, 'store' | 'clock' | 'limits'> {
  readonly availability: Availability;
}

/** Throws invalid_tier. */
export async function existingTier(q: Queries, tier: string): Promise<Tier> {
  const found = await findTier(q, tier);
  if (found) return found;
  throw new ApiError('invalid_tier', { message: `There is no tier "${tier}".`, detail: { field: 'tier' } });
}

const quoteOf = (tier: string, hours: number) => ({ path: `${API_ROOT}/quote`, request: { tier, hours } });

export type Quotes = ReturnType<typeof createQuotes>;

export function createQuotes({ store, clock, limits, availability }: QuotesDeps) {
  return {
    /** @throws ApiError invalid_tier, invalid_period, invalid_start, xcode_not_available */
    async quote(account: Buyer, { tier: id, hours, units, ...wanted }: QuoteRequest): Promise<Quote> {
      const tier = await existingTier(store, id);
      checkOrderHours(hours, tier, limits);
      const now = clock.now();
      const startAt = startFrom(wanted.startAt, now, limits);
      checkXcode(wanted.xcode, tier);
      const barrier = await orderBarrier(store, account, now, limits);
      const calendar = await availability.current(store);
      const demand = demandFor(tier, { accountId: account.id, hours, startAt, now }, wanted.xcode);
      const asked = { ...quoteOf(id, hours), units, xcode: wanted.xcode };
      const refused = xcodeRefusal(calendar, tier, demand, asked, limits);
      if (refused && wanted.xcode !== null) throw refused;
      // The default Xcode of the tier is on no host, for a later start either.
      const nowhere = refused !== null && isAhead(demand, now);
      const orderable = Math.min(limits.order_units, orderableUnpaid(calendar, tier, demand, limits));
      return {
        tier: id,
        hours,
        units,
        startAt,
        unitPriceWon: tier.priceWon,
        salesOpen: tier.salesOpen,
        ...priceOf(tier.priceWon, hours, units),
        availableNow: barrier === null && !nowhere ? orderable : 0,
      };
    },
  };
}
